import { QUEUES } from '#queues/index.ts';
import { connectorSamples } from './connectors/runs/connector-metrics.ts';
import { countByStatus } from './documents/store.ts';
import { messageSamples } from './email/message-samples.ts';
import { modelUsageSamples } from './chat/model/model-usage-samples.ts';
import { scrapeSamples } from './leads/scrapes/scrape-samples.ts';
import { stateSamples, workSamples } from './operations/operations-samples.ts';
import { webhookSamples } from './webhooks/webhook-metrics.ts';
import { collectQueueMetrics, createMetrics, type Metrics } from './platform/metrics.ts';
import type { Services } from './services.ts';

/** What this process counts, and what it reads from rows at each scrape. */
export function openMetrics(
  services: Pick<Services, 'clock' | 'db' | 'producer' | 'readReplica'>,
): Metrics {
  const { db, producer, readReplica } = services;
  const metrics = createMetrics();
  collectQueueMetrics(producer, QUEUES, metrics);
  metrics.addCollector(() => stateSamples(services));
  metrics.addCollector(() => workSamples(services));
  metrics.addCollector(async () => readReplica.samples());
  metrics.addCollector(() => connectorSamples(db));
  metrics.addCollector(() => webhookSamples(db));
  metrics.addCollector(() => scrapeSamples(db));
  metrics.addCollector(() => messageSamples(db));
  metrics.addCollector(() => modelUsageSamples(db));
  metrics.addCollector(async () => {
    const counts = await countByStatus(db, null);
    return Object.entries(counts).map(([status, value]) => ({
      gauge: 'documents' as const,
      labels: { status },
      value,
    }));
  });
  return metrics;
}
