// @module-tag queues
// @module-tag database
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startHeartbeat } from '#src/operations/heartbeat.ts';
import { listProcesses } from '#src/operations/worker-processes.ts';
import { createMetrics } from '#src/platform/metrics.ts';
import { serveMetrics } from '#src/platform/metrics-server.ts';
import { openTestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';

it('a worker process is healthy exactly while the console sees it alive', async () => {
  await using test = await openTestServices();
  const { services } = test;
  const heartbeat = startHeartbeat(services, [{ name: 'lead-scrape', concurrency: 1 }]);
  expect(heartbeat.isAlive()).toBe(false);
  await until(async () => heartbeat.isAlive());
  const seen = async () =>
    (await listProcesses(services.db, services.clock())).map(({ isAlive }) => isAlive);
  expect(await seen()).toEqual([true]);
  test.advance(31_000);
  expect(await seen()).toEqual([false]);
  expect(heartbeat.isAlive()).toBe(false);
  await heartbeat.stop();
});

it('/health of a worker process is 200 while it is alive, then 503', async () => {
  let alive = true;
  const server = await serveMetrics(createMetrics(), () => alive, { host: '127.0.0.1', port: 0 });
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/health`);
    return [answer.status, await answer.json()];
  };
  expect(await ask()).toEqual([200, { status: 'ok' }]);
  alive = false;
  expect(await ask()).toEqual([503, { status: 'no heartbeat' }]);
  await server.close();
});

it('every service of workers in docker-compose.yml is checked by its heartbeat', () => {
  const compose = readFileSync(
    path.resolve(import.meta.dirname, '../../../docker-compose.yml'),
    'utf8',
  );
  const worker = /^x-worker: &worker\n(?:(?: .*)?\n)+/m.exec(compose)?.[0] ?? '';
  expect(worker).toContain('METRICS_PORT: ${METRICS_PORT:-9464}');
  expect(worker).toMatch(/healthcheck:\n {4}test:[^]*METRICS_PORT \+ '\/health'/);
  const services = Array.from(
    compose.matchAll(/^ {2}worker-[a-z]+:\n((?: {4}.*\n)+)/gm),
    ([, text = '']) => text,
  );
  expect(services).toHaveLength(7);
  for (const service of services) {
    expect(service).toContain('<<: *worker');
    expect(service).not.toMatch(/healthcheck|environment/);
  }
});
