import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { StallReport } from './stall-probe.ts';
import { openTestEnvironment } from './test-environment.ts';
import { migrateTestDatabase } from './test-millrace.ts';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 120_000;
const REPORT_TIMEOUT_MS = 120_000;
/** The probe's piece of work on two quiet cores of 2026, where the largest stalls are about half of what is allowed. */
const REFERENCE_MS = 28;
const STOP_TIMEOUT_MS = 40_000;

/** A whole Millrace in its own process, with a watched event loop. */
export interface ProbedMillrace extends ApiClient, AsyncDisposable {
  readonly adminKey: string;
  /**
   * The longest time that its event loop was blocked since the last call, in ms of processor time, less in proportion
   * on a machine that is slower than the reference.
   */
  longestStallMs(): Promise<number>;
  /** Waits until no document is waiting or being indexed. */
  settled(key?: string): Promise<void>;
  createWorkspace(planTier?: string): Promise<{ workspaceId: string; key: string }>;
}

export async function startProbedMillrace(
  overrides: Record<string, string> = {},
): Promise<ProbedMillrace> {
  await using opened = new AsyncDisposableStack();
  const environment = opened.use(await openTestEnvironment(overrides));
  await migrateTestDatabase(environment.settings);
  const probe = resolve(import.meta.dirname, 'stall-probe.ts');
  const child = spawn(process.execPath, ['--import', probe, resolve(ROOT, 'src/main.ts')], {
    cwd: ROOT,
    env: { ...process.env, ...environment.settings, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  opened.defer(() => stop(child));
  const client = createApiClient(await urlOf(child), environment.adminKey);
  const resources = opened.move();
  return {
    ...client,
    adminKey: environment.adminKey,
    async longestStallMs() {
      const answer = once(child, 'message', { signal: AbortSignal.timeout(REPORT_TIMEOUT_MS) });
      child.send('report');
      // Both ends of the channel are our code.
      const [{ longestMs, referenceMs }] = (await answer) as [StallReport];
      return referenceMs === null ? longestMs : longestMs * Math.min(1, REFERENCE_MS / referenceMs);
    },
    settled: (key = environment.adminKey) =>
      until(async () => {
        const path = '/service-api/ingestion/stats';
        const { body } = await client.call('GET', path, undefined, { key });
        return body.counts.accepted + body.counts.indexing + body.counts.deleting === 0;
      }, START_TIMEOUT_MS),
    async createWorkspace(planTier = 'Enterprise') {
      const { body } = await client.call('POST', '/manage/admin/workspaces', {
        name: 'Another',
        plan_tier: planTier,
      });
      return { workspaceId: body.workspace_id, key: body.api_key };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The URL in the log line that reports that it is listening. */
function urlOf(child: ChildProcess): Promise<string> {
  const listening = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => listening.reject(new Error('The process did not become ready in time.')),
    START_TIMEOUT_MS,
  );
  child.once('exit', (code) => listening.reject(new Error(`The process ended with ${code}.`)));
  if (child.stderr === null) throw new Error('The output of the process is not piped.');
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.includes('"msg":"listening"')) return;
    const { url } = JSON.parse(line) as { url: string }; // our own log line
    listening.resolve(url);
  });
  return listening.promise.finally(() => clearTimeout(timer));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
