import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const SHELL = '/bin/sh';
/** Excludes the service's own environment, which may contain secrets. */
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const PROBE_MS = 5_000;
const MAX_ERROR_CHARACTERS = 2_000;
const HEAP_MB = 160;

const OWN_FOLDER = new URL('./', import.meta.url);
const RUNNER = new URL('./runner-process.ts', import.meta.url);
/** Folder of the package, with a trailing slash. */
export const PYODIDE_URL = new URL('./', import.meta.resolve('pyodide')).href;

/** Confinements by the kernel, in addition to Node.js's permissions, best first; `[]` works everywhere. */
const END_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'];
/** No network, and no other process visible or reachable by signals. */
const NAMESPACES = ['--net', '--pid', '--ipc', '--fork', '--kill-child'];
const CONFINEMENTS: readonly (readonly string[])[] = [
  [...END_WITH_PARENT, 'unshare', '--user', '--map-current-user', ...NAMESPACES],
  [...END_WITH_PARENT, 'unshare', ...NAMESPACES],
  END_WITH_PARENT,
  [],
];

export interface Runner {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has ended, with how it ended and what it wrote to standard error. */
  readonly ended: Promise<string>;
  /** Ends the process and everything that it may have started. */
  kill(): void;
}

/** The first confinement that works on this machine. */
export async function findConfinement(): Promise<readonly string[]> {
  for (const prefix of CONFINEMENTS) {
    // This file is needed to find the memory of a process in its own namespace.
    const countable = existsSync(`/proc/self/task/${process.pid}/children`);
    if (prefix.includes('unshare') && !countable) continue;
    if (prefix.length === 0 || (await canRun(prefix))) return prefix;
  }
  return [];
}

function canRun([command = '', ...rest]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, [...rest, 'true'], { env: ENVIRONMENT, timeout: PROBE_MS }, (error) =>
      resolve(error === null),
    );
  });
}

/**
 * Starts a runner in its own process group, with permission to read its own files and nothing else.
 * @param cpuSeconds after which the kernel ends it, whatever became of its parent
 */
export function spawnRunner(confinement: readonly string[], cpuSeconds: number): Runner {
  const script = `ulimit -c 0; ulimit -t ${cpuSeconds}; exec "$@"`;
  const command = [...confinement, process.execPath, ...nodeArguments()];
  const child = spawn(SHELL, ['-c', script, SHELL, ...command], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // The process may end before it has read its job, which `ended` reports.
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    ended: endOf(child),
    kill() {
      if (child.pid !== undefined) killGroup(child.pid);
      child.stdout.destroy();
    },
  };
}

function nodeArguments(): string[] {
  return [
    '--no-warnings',
    '--permission',
    `--allow-fs-read=${fileURLToPath(PYODIDE_URL)}`,
    `--allow-fs-read=${fileURLToPath(OWN_FOLDER)}`,
    '--disallow-code-generation-from-strings',
    '--disable-sigusr1',
    // asyncio.run waits inside a call from JavaScript.
    '--experimental-wasm-jspi',
    `--max-old-space-size=${HEAP_MB}`,
    fileURLToPath(RUNNER),
  ];
}

function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<string> {
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (errors.length < MAX_ERROR_CHARACTERS) errors += text;
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => {
      const how = signal ?? `exit code ${code}`;
      resolve(`${how} ${errors.slice(0, MAX_ERROR_CHARACTERS)}`.trim());
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Already ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
