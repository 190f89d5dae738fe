import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const LOCK_DOWN = new URL('../../../../src/chat/python/lock-down.ts', import.meta.url);
const FOLDER = fileURLToPath(new URL('./', LOCK_DOWN));

/** What an attacker could try after escaping from Python to JavaScript, with references kept from before the lock. */
const ATTEMPTS: Record<string, string> = {
  'a global of the network': 'globalThis.fetch("http://127.0.0.1")',
  'a global socket': 'new globalThis.WebSocket("ws://127.0.0.1")',
  'the global process': 'process.pid',
  'a signal to another process': 'kept.process.kill(kept.process.ppid, 0)',
  'a debugger in another process': 'kept.process._debugProcess(kept.process.ppid)',
  'a program in place of this one': 'kept.process.execve("/bin/true")',
  'a built-in module by the process': 'kept.process.getBuiltinModule("net").connect(1)',
  'an internal binding': 'kept.process.binding("tcp_wrap")',
  'a connection by a kept function': 'kept.net.connect(1)',
  'a connection by a kept class': 'new kept.Socket().connect(1)',
  'a server by a kept class': 'kept.Server.prototype.listen.call({}, 0)',
  'a connection by an agent': 'kept.http.globalAgent.createConnection({ port: 1 })',
  'a request': 'kept.http.request("http://127.0.0.1")',
  'a datagram': 'kept.dgram.createSocket("udp4")',
  'a name server': 'kept.dns.lookup("localhost", () => undefined)',
  'a child process': 'kept.childProcess.spawnSync("id").status.toString()',
  'a thread': 'new kept.workerThreads.Worker("1", { eval: true })',
  'a file of the machine': 'kept.fs.readFileSync("/etc/passwd")',
  'a new file': 'kept.fs.writeFileSync("/tmp/millrace-escape", "")',
  'code from text': 'Function("return 1")()',
  'code from text by vm': 'kept.vm.runInThisContext("1")',
  'code from text by a script': 'new kept.vm.Script("1").runInThisContext()',
  'flags of the engine': 'kept.v8.setFlagsFromString("--no-lazy")',
  'a kept require': 'kept.require("node:net")',
  'a new require': 'kept.module.createRequire("/")("node:net")',
  'an import of a module': 'await import("node:net")',
  'an import of text': 'await import("data:text/javascript,1")',
};

/** Runs the attempts in a separate process, locked down or not, and returns the names of those that succeeded. */
async function tryOut(names: readonly string[], isLockedDown: boolean): Promise<unknown> {
  const attempts = names.map(
    (name) => `await attempt(${JSON.stringify(name)}, async () => ${ATTEMPTS[name]});`,
  );
  const script = `
    import childProcess from 'node:child_process'; import dgram from 'node:dgram'; import dns from 'node:dns';
    import fs from 'node:fs'; import http from 'node:http'; import module from 'node:module'; import net from 'node:net';
    import v8 from 'node:v8'; import vm from 'node:vm'; import workerThreads from 'node:worker_threads';
    import { lockDown } from ${JSON.stringify(LOCK_DOWN.href)};
    const kept = { process, childProcess, dgram, dns, fs, http, module, net, v8, vm, workerThreads, Socket: net.Socket,
      Server: net.Server, require: module.createRequire('/x.js') };
    const { writeSync } = fs;
    const worked = [];
    const attempt = async (name, run) => { try { await run(); worked.push(name); } catch { /* as it should be */ } };
    ${isLockedDown ? 'lockDown();' : ''}
    ${attempts.join('\n')}
    writeSync(1, JSON.stringify(worked));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--no-warnings',
    '--permission',
    `--allow-fs-read=${FOLDER}`,
    '--disallow-code-generation-from-strings',
    '--input-type=module',
    '-e',
    script,
  ]);
  return JSON.parse(stdout);
}

test('JavaScript that escapes from Python cannot reach the host', async () => {
  expect(await tryOut(Object.keys(ATTEMPTS), true)).toEqual([]);
});

test('the same attempts succeed without the lock, so they are real', async () => {
  const harmless = ['a signal to another process', 'code from text by vm', 'an import of text'];
  expect(await tryOut(harmless, false)).toEqual(harmless);
});
