import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { createGauges, type GaugeSample } from './gauges.ts';
import type { AttemptEnd } from './work-tally.ts';

export interface Metrics {
  /** `Content-Type` of `text()`. */
  readonly contentType: string;
  /** `route` is the pattern, never the path: each value becomes its own series. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  observeJob(queue: string, outcome: string, seconds: number): void;
  /** An attempt at a piece of work, of which one job may do several. `waitSeconds` is null for a retry. */
  observeAttempt(
    queue: string,
    end: AttemptEnd,
    times: { waitSeconds: number | null; runSeconds: number },
  ): void;
  /** Counts a request admitted without a rate-limit check because the store failed. */
  countUnlimitedRequest(): void;
  /** `collect` is called for each scrape; one that fails or takes over 2 s loses only its own lines. */
  addCollector(collect: () => Promise<readonly GaugeSample[]>): void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

const METHODS: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' '));
const COLLECTOR_TIMEOUT_MS = 2_000;
const REQUEST_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ATTEMPT_ENDS = ['done', 'retried', 'failed'] as const satisfies readonly AttemptEnd[];
const JOB_BUCKETS_SECONDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];

/** A separate registry with Node's default process metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'millrace_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route'] as const,
    buckets: REQUEST_BUCKETS_SECONDS,
    registers: [registry],
  });
  // Separate from the durations: a status label there would multiply every bucket of every route.
  const answers = new Counter({
    name: 'millrace_http_requests_total',
    help: 'Requests by the status of their answer.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const unlimited = new Counter({
    name: 'millrace_unlimited_requests_total',
    help: 'Requests that passed uncounted, since the store of the rate limits failed.',
    registers: [registry],
  });
  const gauges = createGauges(registry);
  const collectors: (() => Promise<readonly GaugeSample[]>)[] = [];

  async function scrape(): Promise<string> {
    const samples = (await Promise.all(collectors.map(collectInTime))).flat();
    for (const gauge of Object.values(gauges)) gauge.reset();
    for (const sample of samples) gauges[sample.gauge].set(sample.labels, sample.value);
    return registry.metrics();
  }

  let scraping: Promise<string> | null = null;
  return {
    contentType: registry.contentType,
    observeRequest(sentMethod, route, status, seconds) {
      // Node's parser accepts more methods than any route has.
      const method = METHODS.has(sentMethod) ? sentMethod : 'other';
      requests.observe({ method, route }, seconds);
      answers.inc({ method, route, status: String(status) });
    },
    ...createJobMetrics(registry),
    countUnlimitedRequest: () => unlimited.inc(),
    addCollector: (collect) => void collectors.push(collect),
    // Concurrent scrapes share one answer, so that neither resets the gauges during the other.
    async text() {
      scraping ??= scrape().finally(() => {
        scraping = null;
      });
      return scraping;
    },
  };
}

function createJobMetrics(registry: Registry): Pick<Metrics, 'observeJob' | 'observeAttempt'> {
  const jobs = new Histogram({
    name: 'millrace_job_duration_seconds',
    help: 'Time of one attempt at a job.',
    labelNames: ['queue', 'outcome'] as const,
    buckets: JOB_BUCKETS_SECONDS,
    registers: [registry],
  });
  const durations = (name: string, help: string) =>
    new Histogram({
      name,
      help,
      labelNames: ['queue'] as const,
      buckets: JOB_BUCKETS_SECONDS,
      registers: [registry],
    });
  const waits = durations(
    'millrace_queue_wait_seconds',
    'Time from due to taken, of first attempts of this process.',
  );
  const runs = durations(
    'millrace_queue_run_seconds',
    'Time from taken to finished, of attempts of this process.',
  );
  const attempts = new Counter({
    name: 'millrace_queue_attempts_total',
    help: 'Attempts of this process: done, retried (failed and tried again) or failed (for good).',
    labelNames: ['queue', 'outcome'] as const,
    registers: [registry],
  });
  return {
    observeJob: (queue, outcome, seconds) => jobs.observe({ queue, outcome }, seconds),
    observeAttempt(queue, end, { waitSeconds, runSeconds }) {
      // Without the zeros, a first failure would be no increase to Prometheus.
      for (const outcome of ATTEMPT_ENDS) attempts.inc({ queue, outcome }, outcome === end ? 1 : 0);
      // A clock that was set back must not make a negative wait.
      if (waitSeconds !== null) waits.observe({ queue }, Math.max(0, waitSeconds));
      runs.observe({ queue }, runSeconds);
    },
  };
}

async function collectInTime(
  collect: () => Promise<readonly GaugeSample[]>,
): Promise<readonly GaugeSample[]> {
  const timeout = Promise.withResolvers<readonly GaugeSample[]>();
  const timer = setTimeout(() => timeout.resolve([]), COLLECTOR_TIMEOUT_MS);
  try {
    return await Promise.race([collect(), timeout.promise]);
  } catch {
    // Its lines are missing from this scrape, which alerts can detect.
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** The part of a producer that the queue metrics need; `Producer` fits. */
interface QueueCounts<Q> {
  counts(queue: Q): Promise<Record<string, number>>;
  oldestWaitingAgeMs(queue: Q): Promise<number | null>;
}

/** Depth by state and age of the oldest waiting job, for every queue. */
export function collectQueueMetrics<Q extends { name: string }>(
  producer: QueueCounts<Q>,
  queues: readonly Q[],
  metrics: Metrics,
): void {
  for (const queue of queues) {
    metrics.addCollector(async () => {
      const [counts, ageMs] = await Promise.all([
        producer.counts(queue),
        producer.oldestWaitingAgeMs(queue),
      ]);
      return [
        ...Object.entries(counts).map(([state, value]): GaugeSample => ({
          gauge: 'queueJobs',
          labels: { queue: queue.name, state },
          value,
        })),
        {
          gauge: 'queueOldestWaitingSeconds',
          labels: { queue: queue.name },
          value: (ageMs ?? 0) / 1_000,
        },
      ];
    });
  }
}
