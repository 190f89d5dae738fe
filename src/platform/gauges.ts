import { Gauge, type Registry } from 'prom-client';

/** A value collected at each scrape. The labels are those of the gauge. */
export type GaugeSample =
  | { gauge: 'queueJobs'; labels: { queue: string; state: string }; value: number }
  | { gauge: 'queueOldestWaitingSeconds'; labels: { queue: string }; value: number }
  | { gauge: 'queueWorkers'; labels: { queue: string }; value: number }
  | { gauge: 'queuePaused'; labels: { queue: string }; value: number }
  | { gauge: 'queueAlarms'; labels: { queue: string; kind: string }; value: number }
  | { gauge: 'queueWork'; labels: { queue: string; state: string }; value: number }
  | { gauge: 'queueOldestDueSeconds'; labels: { queue: string }; value: number }
  | { gauge: 'queueFailedRecently'; labels: { queue: string }; value: number }
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
  | { gauge: 'replicaUsed'; labels: Record<string, never>; value: number }
  | { gauge: 'replicaLagSeconds'; labels: Record<string, never>; value: number }
  | { gauge: 'replicaReads'; labels: { outcome: string }; value: number }
  | { gauge: 'llmCalls'; labels: ModelLabels; value: number }
  | { gauge: 'llmTokens'; labels: ModelLabels & { kind: string }; value: number };

interface ModelLabels extends Record<string, string> {
  provider: string;
  model: string;
}

/** One gauge for each name that a sample can have. */
export function createGauges(registry: Registry): Record<GaugeSample['gauge'], Gauge> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    queueJobs: gauge('millrace_queue_jobs', 'Jobs by state.', ['queue', 'state']),
    queueOldestWaitingSeconds: gauge(
      'millrace_queue_oldest_waiting_seconds',
      'How long the job at the head of the queue has been ready to run; 0 when none waits.',
      ['queue'],
    ),
    ...createOperationsGauges(gauge),
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
    ...createReplicaGauges(gauge),
    ...createModelGauges(gauge),
  };
}

function createReplicaGauges(
  gauge: (name: string, help: string, labelNames?: string[]) => Gauge,
): Record<'replicaUsed' | 'replicaLagSeconds' | 'replicaReads', Gauge> {
  return {
    replicaUsed: gauge(
      'millrace_replica_used',
      '1 while searches of this process go to the read replica, 0 while it is left out.',
    ),
    replicaLagSeconds: gauge(
      'millrace_replica_lag_seconds',
      'Upper bound of the age of what the read replica shows, as this process sees it.',
    ),
    replicaReads: gauge(
      'millrace_replica_reads_total',
      'Searches of this process by what answered: replica; or the primary, because the replica was stale, failed or left_out.',
      ['outcome'],
    ),
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

/** What the console shows of the queues: read from rows, so that every process reports the same. */
function createOperationsGauges(
  gauge: (name: string, help: string, labelNames: string[]) => Gauge,
): Record<
  | 'queueWorkers'
  | 'queuePaused'
  | 'queueAlarms'
  | 'queueWork'
  | 'queueOldestDueSeconds'
  | 'queueFailedRecently',
  Gauge
> {
  return {
    queueWorkers: gauge(
      'millrace_queue_workers',
      'Processes that serve the queue and have been alive within the last three heartbeats.',
      ['queue'],
    ),
    queuePaused: gauge('millrace_queue_paused', '1 while an operator has paused the queue.', [
      'queue',
    ]),
    queueAlarms: gauge('millrace_queue_alarms', '1 while an alarm of this kind is raised.', [
      'queue',
      'kind',
    ]),
    queueWork: gauge(
      'millrace_queue_work',
      'Work by state: waiting (due and not taken), active or delayed; counted up to 100,000.',
      ['queue', 'state'],
    ),
    queueOldestDueSeconds: gauge(
      'millrace_queue_oldest_due_seconds',
      'How long the oldest work that is not taken has been due; 0 when none is.',
      ['queue'],
    ),
    queueFailedRecently: gauge(
      'millrace_queue_failed_recently',
      'Work whose last attempt failed for good in the last hour.',
      ['queue'],
    ),
  };
}
