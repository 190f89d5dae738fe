import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import inspector from 'node:inspector';
import module, { registerHooks, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import v8 from 'node:v8';
import vm from 'node:vm';
import workerThreads from 'node:worker_threads';

/** Members that reach out of the process or turn text into code; removed entirely. */
const FORBIDDEN_MODULES: readonly object[] = [
  childProcess,
  cluster,
  dgram,
  dgram.Socket.prototype,
  dns,
  dns.promises,
  dns.Resolver.prototype,
  dns.promises.Resolver.prototype,
  http,
  http2,
  https,
  inspector,
  net,
  net.Server.prototype,
  tls,
  v8,
  vm,
  vm.Script.prototype,
  workerThreads,
];
const FORBIDDEN_OF_MODULE = ['createRequire', 'register', 'registerHooks', 'runMain', '_compile'];
const FORBIDDEN_OF_PROCESS = [
  '_debugEnd',
  '_debugProcess',
  '_kill',
  '_linkedBinding',
  '_startProfilerIdleNotifier',
  'binding',
  'chdir',
  'dlopen',
  'execve',
  'getBuiltinModule',
  'initgroups',
  'kill',
  'loadEnvFile',
  'setegid',
  'seteuid',
  'setgid',
  'setgroups',
  'setuid',
  'umask',
];
const FORBIDDEN_GLOBALS = [
  'BroadcastChannel',
  'EventSource',
  'MessageChannel',
  'WebSocket',
  'WebSocketStream',
  'XMLHttpRequest',
  'fetch',
  'navigator',
  'process',
  'require',
];
/** Python's own source of randomness requests it on first use. */
const STILL_LOADABLE = 'node:crypto';

/**
 * Removes everything from this process that could reach beyond it: connections, other processes and signals to them,
 * module loading, code from text. This cannot be undone. Python has no access to JavaScript anyway; this is a second
 * line of defence in case someone finds one.
 */
export function lockDown(): void {
  for (const target of FORBIDDEN_MODULES) forbid(target, Object.getOwnPropertyNames(target));
  forbid(net.Socket.prototype, ['connect']);
  forbid(module, FORBIDDEN_OF_MODULE);
  forbid(module.prototype, FORBIDDEN_OF_MODULE);
  forbid(process, FORBIDDEN_OF_PROCESS);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== STILL_LOADABLE) return forbidden();
      return next(specifier, context);
    },
  });
  syncBuiltinESMExports();
  for (const name of FORBIDDEN_GLOBALS) Reflect.deleteProperty(globalThis, name);
}

function forbid(target: object, names: readonly string[]): void {
  for (const name of names) {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    if (name === 'constructor' || typeof descriptor?.value !== 'function') continue;
    if (descriptor.configurable !== true && descriptor.writable !== true) continue;
    Object.defineProperty(target, name, { value: forbidden });
  }
}

function forbidden(): never {
  throw new Error('This is not available to code in the sandbox.');
}
