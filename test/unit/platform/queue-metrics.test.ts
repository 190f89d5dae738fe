import { describe, expect, it } from 'vitest';
import { collectQueueMetrics, createMetrics } from '#src/platform/metrics.ts';

describe('metrics', () => {
  it('count requests and job attempts by their labels', async () => {
    const metrics = createMetrics();
    metrics.observeRequest('GET', '/documents/{id}', 200, 0.01);
    metrics.observeJob('document-index', 'completed', 1.5);
    const text = await metrics.text();
    expect(text).toContain(
      'millrace_http_request_duration_seconds_count{method="GET",route="/documents/{id}"} 1',
    );
    expect(text).toContain(
      'millrace_http_requests_total{method="GET",route="/documents/{id}",status="200"} 1',
    );
    expect(text).toContain(
      'millrace_job_duration_seconds_sum{queue="document-index",outcome="completed"} 1.5',
    );
    expect(text).toContain('process_cpu_user_seconds_total');
  });

  it('omit only the lines of a collector that fails or hangs', async () => {
    const metrics = createMetrics();
    metrics.addCollector(async () => {
      throw new Error('database is away');
    });
    metrics.addCollector(async () => new Promise(() => {}));
    metrics.addCollector(async () => [
      { gauge: 'documents', labels: { status: 'indexed' }, value: 7 },
    ]);
    expect(await metrics.text()).toContain('millrace_documents{status="indexed"} 7');
  });

  it('drop a value that its collector no longer reports', async () => {
    const metrics = createMetrics();
    let fails = false;
    metrics.addCollector(async () => {
      if (fails) throw new Error('away');
      return [{ gauge: 'documents', labels: { status: 'failed' }, value: 1 }];
    });
    expect(await metrics.text()).toContain('millrace_documents{status="failed"} 1');
    fails = true;
    expect(await metrics.text()).not.toContain('millrace_documents{');
  });

  it('serve two concurrent scrapes from one collection', async () => {
    const metrics = createMetrics();
    let collections = 0;
    metrics.addCollector(async () => {
      collections += 1;
      return [];
    });
    await Promise.all([metrics.text(), metrics.text()]);
    expect(collections).toBe(1);
  });

  it('report depth by state and the oldest wait per queue; a failing queue does not affect others', async () => {
    const metrics = createMetrics();
    const producer = {
      counts: async ({ name }: { name: string }) => {
        if (name === 'broken') throw new Error('store is away');
        return { waiting: 3, failed: 1 };
      },
      oldestWaitingAgeMs: async () => 2_500,
    };
    collectQueueMetrics(producer, [{ name: 'broken' }, { name: 'reconcile' }], metrics);
    const text = await metrics.text();
    expect(text).toContain('millrace_queue_jobs{queue="reconcile",state="waiting"} 3');
    expect(text).toContain('millrace_queue_oldest_waiting_seconds{queue="reconcile"} 2.5');
    expect(text).not.toContain('queue="broken"');
  });
});
