import type { ApiClient } from './api-client.ts';
import { ApiFailure } from './api-failure.ts';
import { type AddCommand, type CommandContext, printJson, wholeNumber } from './command-context.ts';
import { type IngestionStats, pendingOf, readIngestionStats } from './ingestion-stats.ts';
import { parseMetrics } from './parse-metrics.ts';
import { formatCount, formatSeconds, formatTable } from './terminal.ts';

interface StatusOptions {
  watch?: true | number;
}

const WATCH_SECONDS = 2;
/** Moves the cursor to the top left corner and clears everything below. */
const CLEAR_SCREEN = '\u001b[H\u001b[J';

/** `millrace status`: readiness, progress, and queue contents. */
export const addStatusCommand: AddCommand = (program, context) => {
  program
    .command('status')
    .summary('documents, backlog and queues')
    .description(
      'Show whether the service is ready, how many documents it holds, the backlog and the queues.',
    )
    .option(
      '--watch [seconds]',
      `show again every ${WATCH_SECONDS} seconds or at the given interval`,
      wholeNumber(1, 3600),
    )
    .action((options: StatusOptions) => showStatus(options, context));
};

async function showStatus({ watch }: StatusOptions, context: CommandContext): Promise<void> {
  const client = context.connect();
  const { stdout } = context.terminal;
  const pauseMs = (typeof watch === 'number' ? watch : WATCH_SECONDS) * 1000;
  do {
    const status = await readStatus(client);
    if (context.wantsJson()) printJson(context, status);
    else stdout.write((watch && stdout.isTTY ? CLEAR_SCREEN : '') + toText(status));
    if (watch) await client.wait(pauseMs);
  } while (watch);
}

interface QueueStatus {
  queue: string;
  jobs: Record<string, number>;
  oldest_waiting_seconds: number | null;
}

interface Status {
  url: string;
  ready: boolean;
  not_ready_because: string | null;
  documents: IngestionStats;
  /** Null when the key may not read them. */
  queues: QueueStatus[] | null;
}

async function readStatus(client: ApiClient): Promise<Status> {
  const [notReady, documents, queues] = await Promise.all([
    readNotReady(client),
    readIngestionStats(client),
    readQueues(client),
  ]);
  return {
    url: client.url,
    ready: notReady === null,
    not_ready_because: notReady,
    documents,
    queues,
  };
}

/** A service that is not ready answers so at once, so this does not wait for it. */
async function readNotReady(client: ApiClient): Promise<string | null> {
  try {
    await client.text('/ready', { patience: { unreachableMs: 10_000, busyMs: 0 } });
    return null;
  } catch (error) {
    if (error instanceof ApiFailure && error.status !== null) return error.message;
    throw error;
  }
}

const NOT_FOR_THIS_KEY = new Set([401, 403, 404]);

async function readQueues(client: ApiClient): Promise<QueueStatus[] | null> {
  try {
    return toQueues(await client.text('/metrics'));
  } catch (error) {
    const status = error instanceof ApiFailure ? error.status : null;
    if (status !== null && NOT_FOR_THIS_KEY.has(status)) return null;
    throw error;
  }
}

function toQueues(metrics: string): QueueStatus[] {
  const queues = new Map<string, QueueStatus>();
  for (const { name, labels, value } of parseMetrics(metrics, 'millrace_queue_')) {
    const queue = labels['queue'];
    if (queue === undefined) continue;
    const status = queues.get(queue) ?? { queue, jobs: {}, oldest_waiting_seconds: null };
    queues.set(queue, status);
    if (name === 'millrace_queue_jobs') status.jobs[labels['state'] ?? ''] = value;
    if (name === 'millrace_queue_oldest_waiting_seconds') status.oldest_waiting_seconds = value;
  }
  return [...queues.values()].toSorted((a, b) => a.queue.localeCompare(b.queue));
}

function toText({ url, not_ready_because, documents, queues }: Status): string {
  const { counts, documents_per_second, oldest_pending_seconds, estimated_seconds_to_drain } =
    documents;
  const lines = [
    `${url}: ${not_ready_because === null ? 'ready' : `not ready: ${not_ready_because}`}`,
    '',
  ];
  lines.push(
    `Documents  ${Object.entries(counts)
      .map(([state, count]) => `${formatCount(count)} ${state}`)
      .join(', ')}`,
  );
  lines.push(`Rate       ${documents_per_second.toFixed(1)} documents/s over the last minute`);
  const pending = pendingOf(documents);
  const age =
    oldest_pending_seconds === null
      ? ''
      : `, the oldest for ${formatSeconds(oldest_pending_seconds)}`;
  const left =
    estimated_seconds_to_drain === null
      ? ''
      : `, about ${formatSeconds(estimated_seconds_to_drain)} left`;
  lines.push(
    `Backlog    ${pending === 0 ? 'none' : `${formatCount(pending)} pending${age}${left}`}`,
    '',
  );
  return `${lines.join('\n')}\n${queues === null ? 'Queues: this key may not read /metrics.\n' : queueTable(queues)}`;
}

const SHOWN_STATES = ['waiting', 'active', 'delayed', 'failed', 'completed'];

function queueTable(queues: QueueStatus[]): string {
  if (queues.length === 0) return 'Queues: none reported.\n';
  return formatTable([
    ['Queue', ...SHOWN_STATES, 'oldest waiting'],
    ...queues.map(({ queue, jobs, oldest_waiting_seconds }) => [
      queue,
      ...SHOWN_STATES.map((state) => formatCount(jobs[state] ?? 0)),
      oldest_waiting_seconds ? formatSeconds(oldest_waiting_seconds) : '-',
    ]),
  ]);
}
