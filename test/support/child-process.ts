import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { runEnvironment } from './run-environment.ts';

/** An entry point of the service, and the log line that reports it ready (null: it must exit successfully). */
const ENTRIES = {
  'src/main.ts': 'listening',
  'src/api.ts': 'listening',
  'workers/main.ts': 'workers started',
  'src/migrate.ts': null,
} as const;
type Entry = keyof typeof ENTRIES;

const START_TIMEOUT_MS = 120_000;
const KEPT_LINES = 200;
const ROOT = resolve(import.meta.dirname, '..', '..');

/** A process of the service; disposing kills it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
  /** The last lines of its output. */
  readonly lines: readonly string[];
  /** Null while it runs; afterwards the exit code or the signal that ended it. */
  ending(): number | NodeJS.Signals | null;
  /** Sends a signal to this process only. */
  signal(name: NodeJS.Signals): void;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** Waits for the exit. @throws when it takes longer than `timeoutMs` */
  ended(timeoutMs: number): Promise<number | NodeJS.Signals>;
}

/**
 * Starts `node <entry> <words>` with exactly these settings and waits until it reports ready.
 * @throws Error with the last output when the process exits, or is not ready within two minutes
 */
export async function startProcess(
  entry: Entry,
  settings: Record<string, string>,
  words: string[] = [],
  { logLevel = 'info', keptLines = KEPT_LINES }: { logLevel?: string; keptLines?: number } = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [resolve(ROOT, entry), ...words], {
    cwd: ROOT,
    // The test reads the log to learn that the process is ready.
    env: { ...settings, ...runEnvironment(), LOG_LEVEL: logLevel },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  const sign = ENTRIES[entry];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > keptLines) lines.shift();
      if (sign !== null && line.includes(`"msg":"${sign}"`)) ready.resolve();
    });
  }
  child.once('exit', (code) => {
    if (sign === null && code === 0) ready.resolve();
    else ready.reject(new Error(`${entry} ended with ${code}.`));
  });
  const started = serviceProcess(child, lines);
  try {
    await within(ready.promise, START_TIMEOUT_MS, `${entry} is not ready`);
  } catch (error) {
    await started.kill();
    throw new Error(`${entry} did not start:\n${lines.join('\n')}`, { cause: error });
  }
  return started;
}

function serviceProcess(child: ChildProcess, lines: string[]): ServiceProcess {
  const { pid } = child;
  if (pid === undefined) throw new Error('The process could not be spawned.');
  const ending = () => child.exitCode ?? child.signalCode;
  const killAtExit = () => void child.kill('SIGKILL');
  const exit = () => process.exit(1);
  process.once('exit', killAtExit);
  // Without a listener the signal would end the test process and leave the child running.
  process.once('SIGTERM', exit);
  child.once('exit', () => process.off('exit', killAtExit).off('SIGTERM', exit));
  const ended = async (timeoutMs: number) => {
    if (ending() === null)
      await within(once(child, 'exit'), timeoutMs, `process ${pid} still runs`);
    return ending() ?? 0;
  };
  const kill = async () => {
    if (ending() === null) child.kill('SIGKILL');
    await ended(60_000);
  };
  return {
    pid,
    lines,
    ending,
    ended,
    kill,
    signal: (name) => void child.kill(name),
    [Symbol.asyncDispose]: kill,
  };
}

async function within<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`After ${timeoutMs} ms ${what}.`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A port for a server that is stopped and started again. It is below the range of ephemeral ports, so nothing takes it
 * in between.
 */
export async function chooseFixedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 20_000);
    const socket = connect(port, '127.0.0.1');
    const [first] = await Promise.race([
      once(socket, 'connect').then(() => ['taken']),
      once(socket, 'error').then(() => ['free']),
    ]).catch(() => ['free']);
    socket.destroy();
    if (first === 'free') return port;
    await wait(10);
  }
}
