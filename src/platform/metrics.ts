import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A value collected at each scrape. The labels are those of the gauge. */
export type GaugeSample =
  | { gauge: 'queueJobs'; labels: { queue: string; state: string }; value: number }
  | { gauge: 'queueOldestWaitingSeconds'; labels: { queue: string }; value: number }
  | { gauge: 'documents'; labels: { status: string }; value: number }
  | { gauge: 'connectorPairs'; labels: { status: string }; value: number }
  | { gauge: 'connectorRuns'; labels: { status: string }; value: number }
  | { gauge: 'connectorErrors'; labels: Record<string, never>; value: number }
  | { gauge: 'webhookDeliveries'; labels: { status: string }; value: number }
  | { gauge: 'webhookEndpoints'; labels: { state: string }; value: number }
  | { gauge: 'webhookOldestDueSeconds'; labels: Record<string, never>; value: number }
  | { gauge: 'leadScrapes'; labels: { status: string }; value: number }
  | { gauge: 'emailMessages'; labels: { status: string }; value: number }
  | { gauge: 'outreachOldestDueSeconds'; labels: { kind: string }; value: number }
  | { gauge: 'llmCalls'; labels: ModelLabels; value: number }
  | { gauge: 'llmTokens'; labels: ModelLabels & { kind: string }; value: number };

interface ModelLabels extends Record<string, string> {
  provider: string;
  model: string;
}

export interface Metrics {
  /** `Content-Type` of `text()`. */
  readonly contentType: string;
  /** `route` is the pattern, never the path: each value becomes its own series. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  observeJob(queue: string, outcome: string, seconds: number): void;
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
  const jobs = new Histogram({
    name: 'millrace_job_duration_seconds',
    help: 'Time of one attempt at a job.',
    labelNames: ['queue', 'outcome'] as const,
    buckets: JOB_BUCKETS_SECONDS,
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
    observeJob: (queue, outcome, seconds) => jobs.observe({ queue, outcome }, seconds),
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

function createGauges(registry: Registry): Record<GaugeSample['gauge'], Gauge> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    queueJobs: gauge('millrace_queue_jobs', 'Jobs by state.', ['queue', 'state']),
    queueOldestWaitingSeconds: gauge(
      'millrace_queue_oldest_waiting_seconds',
      'How long the job at the head of the queue has been ready to run; 0 when none waits.',
      ['queue'],
    ),
    documents: gauge('millrace_documents', 'Documents by status.', ['status']),
    connectorPairs: gauge('millrace_connector_pairs', 'Connector-credential pairs by status.', [
      'status',
    ]),
    connectorRuns: gauge(
      'millrace_connector_runs',
      'Runs of connectors by status: those under way, and those that ended in the last hour.',
      ['status'],
    ),
    connectorErrors: gauge(
      'millrace_connector_errors',
      'Failures of documents and parts of sources that are not resolved.',
    ),
    webhookDeliveries: gauge(
      'millrace_webhook_deliveries',
      'Webhook deliveries that are not finished, by status.',
      ['status'],
    ),
    webhookEndpoints: gauge(
      'millrace_webhook_endpoints',
      'Webhook endpoints by state: healthy, failing, open (circuit breaker) or disabled.',
      ['state'],
    ),
    webhookOldestDueSeconds: gauge(
      'millrace_webhook_oldest_due_seconds',
      'How late the oldest delivery to a healthy endpoint is; 0 when none is due.',
    ),
    leadScrapes: gauge('millrace_lead_scrapes', 'Lead scrapes that are not finished, by status.', [
      'status',
    ]),
    emailMessages: gauge(
      'millrace_email_messages',
      'Messages and verifications by status; finished ones of the last day.',
      ['status'],
    ),
    outreachOldestDueSeconds: gauge(
      'millrace_outreach_oldest_due_seconds',
      'How late the oldest scrape or message is that no worker has begun with.',
      ['kind'],
    ),
    ...createModelGauges(gauge),
  };
}

function createModelGauges(
  gauge: (name: string, help: string, labelNames: string[]) => Gauge,
): Record<'llmCalls' | 'llmTokens', Gauge> {
  return {
    llmCalls: gauge('millrace_llm_calls_total', 'Calls of language models since the beginning.', [
      'provider',
      'model',
    ]),
    llmTokens: gauge(
      'millrace_llm_tokens_total',
      'Tokens of language models since the beginning: input, output, and the reasoning in the output.',
      ['provider', 'model', 'kind'],
    ),
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
