import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PythonOutcome } from '#src/chat/python/python-job.ts';
import { openPythonSandbox } from '#src/chat/python/python-sandbox.ts';
import type { SandboxLimits } from '#src/chat/python/sandbox-limits.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { until } from '#test/support/until.ts';

/** For code expected to hit the limit; other code gets longer because the machine may be busy. */
const SHORT_WALL_MS = 3_000;
const MB = 1024 * 1024;
const IS_LINUX = existsSync('/proc/self/status');

type Sandbox = ReturnType<typeof openPythonSandbox>;
let sandbox: Sandbox;
let shortSandbox: Sandbox;

beforeAll(() => {
  sandbox = openPythonSandbox({ concurrency: 2, limits: { wallMs: 120_000 } });
  shortSandbox = openPythonSandbox({ concurrency: 2, limits: { wallMs: SHORT_WALL_MS } });
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await shortSandbox[Symbol.asyncDispose]();
});

interface Ran extends PythonOutcome {
  stdout: string;
  stderr: string;
}

async function run(
  code: string,
  files: Record<string, string> = {},
  of: Sandbox = sandbox,
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  const attached = Object.entries(files).map(([name, text]) => ({
    name,
    bytes: Buffer.from(text),
  }));
  const running = of.run({ code, files: attached, owner: 'one', signal });
  const printed = { stdout: '', stderr: '' };
  for (;;) {
    const next = await running.next();
    if (next.done) return { ...printed, ...next.value };
    printed[next.value.stream] += next.value.text;
  }
}

const runShort = (code: string): Promise<Ran> => run(code, {}, shortSandbox);

/** Runs in a sandbox with its own limits. */
async function runWithin(limits: Partial<SandboxLimits>, code: string): Promise<Ran> {
  await using own = openPythonSandbox({ concurrency: 1, limits });
  return await run(code, {}, own);
}

/** Process ids of the runners started by this process. */
async function childrenOf(pid: number): Promise<string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean);
}

test('code prints, reads attached files, and returns the files it created and changed', async () => {
  const ran = await run(
    `
import asyncio, os, sys
print(open('a.csv').read(), sorted(os.listdir()))
print('careful', file=sys.stderr)
os.makedirs('out')
open('out/b.txt', 'w').write('made')
open('c.csv', 'a').write('!')
open('/tmp/elsewhere', 'w').write('')
os.symlink('/lib', 'link')
async def main():
    await asyncio.sleep(0.01)
    return 'awaited'
print(asyncio.run(main()), await main(), __name__)
`,
    { 'a.csv': 'x', 'c.csv': 'y' },
  );
  expect(ran).toMatchObject({
    stdout: "x ['a.csv', 'c.csv']\nawaited awaited __main__\n",
    stderr: 'careful\n',
    failure: null,
  });
  expect(ran.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['c.csv', 'y!'],
    ['out/b.txt', 'made'],
  ]);
});

test('state of one run does not reach the next', async () => {
  await run(
    'import builtins, json; builtins.left = 1; json.left = 1; open("/tmp/left", "w").write("")',
  );
  const ran = await run(
    'import json, os, random; print("left" in globals(), hasattr(json, "left"), os.path.exists("/tmp/left"))',
  );
  expect(ran).toMatchObject({ stdout: 'False False False\n', failure: null });
  const draw = 'import random; print(random.random())';
  expect((await run(draw)).stdout).not.toBe((await run(draw)).stdout);
});

test.each([
  ['import js', 'ModuleNotFoundError'],
  ['from js import fetch', 'ModuleNotFoundError'],
  ['import pyodide_js\npyodide_js.loadPackage("numpy")', 'AttributeError'],
  ['import pyodide.code\npyodide.code.run_js("process.env")', 'PermissionError'],
  ['from pyodide._run_js import run_js\nrun_js("import(\'node:net\')")', 'Error'],
  ['open("/etc/passwd")', 'FileNotFoundError'],
  [`open(${JSON.stringify(fileURLToPath(import.meta.url))})`, 'FileNotFoundError'],
  ['import os\nos.fork()', 'OSError'],
  ['import os\nos.system("id")', 'PermissionError'],
  ['import subprocess\nsubprocess.run(["id"])', 'OSError'],
  ['import os\nos.kill(1, 9)', 'PermissionError'],
  ['import threading\nthreading.Thread(target=print).start()', "can't start new thread"],
  ['import multiprocessing as m\nm.Process(target=print).start()', 'Error'],
  ['import numpy', "ModuleNotFoundError: No module named 'numpy'"],
  ['import micropip', "ModuleNotFoundError: No module named 'micropip'"],
  ['import pyodide.http\nawait pyodide.http.pyfetch("http://127.0.0.1/")', 'Error'],
  ['import urllib.request as u\nu.urlopen("http://127.0.0.1:1")', 'URLError'],
  ['import ctypes\nctypes.CDLL(None).emscripten_run_script(b"process.exit()")', 'Code generation'],
  ['import ctypes\nctypes.CDLL(None).system(b"id")', 'not available'],
  ['import ctypes\nctypes.string_at(0xfffffff0, 100)', 'crashed'],
  [
    'import pyodide.webloop as w\nw.scheduleCallback.constructor("return process")()',
    'Code generation from strings disallowed',
  ],
  ['def f(n): return f(n + 1)\nf(0)', 'RecursionError'],
  ['import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nf()', 'recursion is too deep'],
  ['x = bytearray(10**10)', 'OverflowError'],
  ['x = bytearray(2 * 10**9)', 'MemoryError'],
  ['f = open("big", "wb")\nwhile True: f.write(bytes(10**6))', 'No space left on device'],
  ['import sys\nsys.exit(3)', 'SystemExit: 3'],
  ['import sys\nsys.stdout.close()\nprint(1)', 'ValueError: I/O operation on closed file'],
  ['input()', 'EOFError'],
  ['x = (', "SyntaxError: '(' was never closed"],
  ['x = "\ud800"', 'Error'],
])('%s fails with its own error: %s', async (code, failure) => {
  expect((await run(code)).failure).toContain(failure);
});

test('a traceback shows only lines of the code, and a huge one is truncated', async () => {
  const { failure } = await run('import json\ndef read():\n    json.loads("{")\nread()');
  expect(failure).toContain('File "code.py", line 4, in <module>');
  expect(failure).toContain('File "code.py", line 3, in read');
  expect(failure).not.toMatch(/prelude|pyodide|\/lib\//);
  const huge = await run('raise Exception("x" * 10**7)');
  expect(huge.failure).toContain('[…]');
  expect(huge.failure?.length).toBeLessThan(8_000);
});

test('no connection can be opened, not even to a listening server', async () => {
  const reached: number[] = [];
  const server = createServer(() => reached.push(1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { failure } = await run(
    `import socket\ns = socket.create_connection(("127.0.0.1", ${port}), timeout=1)\ns.send(b"x")`,
  );
  const asynchronous = await run(
    `import asyncio\nr, w = await asyncio.open_connection("127.0.0.1", ${port})\nw.write(b"x")`,
  );
  server.close();
  expect(failure).toContain('Error');
  expect(asynchronous.failure).toContain('Error');
  expect(reached).toEqual([]);
});

test('an endless loop ends at the time limit, and its earlier output is kept', async () => {
  const { stdout, failure, files } = await runShort('print("on")\nwhile True: pass');
  expect({ stdout, failure, files }).toEqual({
    stdout: 'on\n',
    failure: 'The code ran longer than 3 s and was ended.',
    files: [],
  });
});

test.each(['import time\ntime.sleep(1000)', 'import asyncio\nawait asyncio.sleep(1000)'])(
  'endless sleep ends at the time limit: %s',
  async (code) => {
    expect((await runShort(code)).failure).toContain('ran longer than 3 s');
  },
);

test('slow memory growth hits the interpreter limit', async () => {
  const ran = await run('a = []\nwhile True: a.append(" " * 100_000 + str(len(a)))');
  expect(ran.failure).toMatch(/MemoryError$/);
});

test.runIf(IS_LINUX)(
  'memory outside the interpreter hits the process limit (needs Linux)',
  async () => {
    const ran = await run(
      'i = 0\nwhile True:\n    i += 1\n    open(f"f{i}", "wb").write(bytes(40 * 10**6))',
    );
    expect(ran.failure).toBe('The code used more than 640 MB of memory and was ended.');
  },
);

test('endless output is truncated, and the run continues to its time limit', async () => {
  const ran = await runShort('while True: print("x" * 1000)');
  expect(ran.stdout.length).toBe(MB);
  expect(ran.stderr).toBe('\n[Output after the first 1 MB is left out.]\n');
  expect(ran.failure).toContain('ran longer');
});

test('a line of 30 MB is truncated, and the code after it still runs', async () => {
  const ran = await run('print("x" * 30_000_000)\nopen("a", "w").write("made")');
  expect(ran.stdout.length).toBe(MB);
  expect(ran).toMatchObject({ failure: null, files: [{ name: 'a' }] });
});

test('output that is not valid text arrives as replacement characters', async () => {
  const ran = await run('import os\nos.write(1, b"a\\xff\\x00b\\n")\nprint("\\ud800")');
  expect(ran.stdout).toBe('a\uFFFD\uFFFDb\n?\n');
});

test('files beyond the limits are dropped, and a line on stderr says so', async () => {
  const ran = await runWithin(
    { returnedFiles: 2, returnedBytes: 10 },
    'for n in "abcd": open(n, "w").write(n * (20 if n == "b" else 2))',
  );
  expect(ran.files.map(({ name }) => name)).toEqual(['a', 'c']);
  expect(ran.stderr).toContain('[2 of the files are not kept: at most 2 files and 10 bytes are.]');
});

test('a canceled run ends at once, and the next one works', async () => {
  const controller = new AbortController();
  const running = sandbox.run({
    code: 'print(1)\nwhile True: pass',
    files: [],
    owner: 'one',
    signal: controller.signal,
  });
  await running.next();
  controller.abort(new Error('called off'));
  await expect(running.next()).rejects.toThrow('called off');
  if (IS_LINUX) expect(await childrenOf(process.pid)).toEqual([]);
  expect((await run('print(2)')).stdout).toBe('2\n');
});

test('a consumer that stops reading ends the process', async () => {
  const signal = new AbortController().signal;
  const running = sandbox.run({
    code: 'print(1)\nwhile True: pass',
    files: [],
    owner: 'one',
    signal,
  });
  await running.next();
  await running.return({ failure: null, files: [] });
  if (IS_LINUX) expect(await childrenOf(process.pid)).toEqual([]);
});

test('closing the sandbox ends running and waiting programs', async () => {
  const own = openPythonSandbox({ concurrency: 1 });
  const signal = new AbortController().signal;
  const running = own.run({ code: 'print(1)\nwhile True: pass', files: [], owner: 'one', signal });
  await running.next();
  const waiting = run('print(2)', {}, own);
  const both = Promise.allSettled([running.next(), waiting]);
  await own[Symbol.asyncDispose]();
  for (const settled of await both)
    expect(settled).toMatchObject({ status: 'rejected', reason: expect.any(ToolFailed) });
});

test('a full waiting queue refuses further programs with a sentence for the model', async () => {
  await using own = openPythonSandbox({ concurrency: 1 });
  const runs = Array.from({ length: 10 }, () => run('while True: pass', {}, own));
  const settled = Promise.allSettled(runs);
  await expect(runs[9]).rejects.toThrow('Too many Python programs are waiting.');
  await own[Symbol.asyncDispose]();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});

test('programs of one owner do not delay another owner', async () => {
  await using own = openPythonSandbox({ concurrency: 2 });
  const signal = new AbortController().signal;
  const code = 'print(1)\nwhile True: pass';
  const busy = Array.from({ length: 18 }, () =>
    own.run({ code, files: [], owner: 'busy', signal }),
  );
  const [first, ...waiting] = busy.map((running) => running.next());
  await first;
  const other = own.run({ code: 'print(2)', files: [], owner: 'other', signal });
  await expect(other.next()).resolves.toMatchObject({ value: { text: '2\n' } });
  const settled = Promise.allSettled(waiting);
  await own[Symbol.asyncDispose]();
  await settled;
});

test.runIf(IS_LINUX)('a killed service leaves no process behind (needs Linux)', async () => {
  const module = new URL('../../src/chat/python/python-sandbox.ts', import.meta.url).href;
  const script = `
    const { openPythonSandbox } = await import(${JSON.stringify(module)});
    const sandbox = openPythonSandbox({ concurrency: 1, limits: { wallMs: 600_000 } });
    const signal = new AbortController().signal;
    const running = sandbox.run({ code: 'print(1)\\nwhile True: pass', files: [], owner: 'one', signal });
    await running.next();
    console.log('running');
    await running.next();`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = service.pid ?? 0;
  await once(service.stdout, 'data');
  const runners = await childrenOf(pid);
  expect(runners).toHaveLength(1);
  service.kill('SIGKILL');
  await until(() => Promise.resolve(runners.every((runner) => !existsSync(`/proc/${runner}`))));
});
