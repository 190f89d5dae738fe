import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openTestEnvironment } from '#test/support/test-environment.ts';
import { migrateTestDatabase } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { databaseMeter } from './database-meter.ts';
import type { MemoryReport } from './memory-probe.ts';
import { type ProcessUsage, processUsage } from './process-usage.ts';

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 40_000;
const ANSWER_TIMEOUT_MS = 20_000;

/** A complete Millrace in its own process, over an empty store, as `npm start` starts it. */
export interface ChildMillrace extends AsyncDisposable {
  readonly size: 'embedded' | 'one-database' | 'scale-out';
  readonly url: string;
  readonly adminKey: string;
  /** Null where its size has none. */
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  /** CPU seconds so far and resident memory; NaN without /proc. */
  usage(): Promise<ProcessUsage>;
  /** CPU seconds so far of the sessions of its database; 0 in the embedded size, NaN when the server is elsewhere. */
  databaseCpuSeconds(): Promise<number>;
  /** After a garbage collection; only for a process started with `probesMemory`. */
  memory(): Promise<MemoryReport>;
  /** Stops the process and starts another one over the same stores, with these settings beside those of before. */
  restart(settings: Record<string, string>): Promise<RestartTimes>;
}

export interface RestartTimes {
  stopSeconds: number;
  /** From the start of the process until it reports ready. */
  readySeconds: number;
}

export interface ChildOptions {
  settings?: Record<string, string>;
  probesMemory?: boolean;
}

/** `src/main.ts` runs the API and the workers; `src/api.ts` only the API, which isolates the cost of accepting. */
export async function startChildMillrace(
  entry: 'src/main.ts' | 'src/api.ts',
  { settings = {}, probesMemory = false }: ChildOptions = {},
): Promise<ChildMillrace> {
  await using opened = new AsyncDisposableStack();
  const port = await freePort();
  const environment = opened.use(
    await openTestEnvironment({
      PORT: String(port),
      MAX_PENDING_DOCUMENTS: '1000000',
      SHUTDOWN_TIMEOUT_SECONDS: '20',
      ...settings,
    }),
  );
  await migrateTestDatabase(environment.settings);
  const probe = fileURLToPath(new URL('./memory-probe.ts', import.meta.url));
  const flags = probesMemory ? ['--expose-gc', '--import', probe] : [];
  const main = fileURLToPath(new URL(`../${entry}`, import.meta.url));
  const start = (more: Record<string, string>) =>
    spawn(process.execPath, [...flags, main], {
      env: { ...process.env, ...environment.settings, ...more },
      stdio: ['ignore', 'ignore', 'inherit', ...(probesMemory ? (['ipc'] as const) : [])],
    });
  let child = start({});
  const killAtExit = () => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  opened.defer(async () => {
    await stop(child);
    process.off('exit', killAtExit);
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, child);
  const resources = opened.move();
  return {
    size: environment.size,
    url,
    adminKey: environment.adminKey,
    databaseUrl: environment.settings['DATABASE_URL'] ?? null,
    redisUrl: environment.settings['REDIS_URL'] ?? null,
    usage: () => processUsage(child.pid ?? 0),
    databaseCpuSeconds: databaseMeter(environment.settings['DATABASE_URL'] ?? null),
    memory: () => askForMemory(child),
    async restart(more) {
      const stopStartedMs = performance.now();
      await stop(child);
      const startedMs = performance.now();
      child = start(more);
      await untilReady(url, child);
      return {
        stopSeconds: (startedMs - stopStartedMs) / 1_000,
        readySeconds: (performance.now() - startedMs) / 1_000,
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The port is free again before the child binds it; nothing else on a bench machine is likely to take it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`The child exited with ${child.exitCode}.`);
    const answer = await fetch(`${url}/ready`).catch(() => null);
    return answer?.ok === true;
  }, START_TIMEOUT_MS);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

async function askForMemory(child: ChildProcess): Promise<MemoryReport> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  child.send('report');
  // We own both ends of the channel.
  const [report] = (await answer) as [MemoryReport];
  return report;
}
