import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openProducer, type Producer } from '#queues/producer.ts';
import { defineQueue } from '#queues/queue.ts';
import { createQueueDashboard } from '#src/console/queue-dashboard.ts';
import { openTestPglite } from '#test/unit/api/harness.ts';
import { openQueueBackend } from '#src/platform/queue-backend.ts';

const queue = defineQueue({ name: 'row-work', payload: z.object({ row: z.int() }) });

describe('the queue dashboard', () => {
  let producer: Producer;
  let server: Server;
  let base: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const pglite = await openTestPglite();
    const backend = await openQueueBackend({
      size: 'embedded',
      pglite,
      databaseUrl: undefined,
      redisUrl: undefined,
      log: pino({ level: 'silent' }),
    });
    producer = await openProducer(backend, [queue]);
    const app = new Koa();
    app.use(createQueueDashboard(producer, { seesWorkers: false }).serve);
    app.use((context) => {
      context.body = 'elsewhere';
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // a server listening on TCP has an address with a port
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = async () => {
      server.close();
      server.closeAllConnections();
      await producer.close();
      await backend.close();
      await pglite.close();
    };
  });

  afterAll(async () => close());

  it('loads its page and every asset only from this server', async () => {
    const page = await fetch(`${base}/admin/queues`);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(html).not.toMatch(/(?:src|href)="https?:/);
    const basePath = /<base href="([^"]+)"/.exec(html)?.[1];
    expect(basePath).toBe('/admin/queues/');
    const assets = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map((match) => match[1]);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const answer = await fetch(`${base}${basePath}${asset}`);
      expect([asset, answer.status]).toEqual([asset, 200]);
      await answer.arrayBuffer();
    }
  });

  it('shows the jobs of every queue', async () => {
    await producer.enqueueMany(queue, [{ row: 1 }, { row: 2 }]);
    const answer = await fetch(
      `${base}/admin/queues/api/queues?activeQueue=row-work&status=waiting&page=1`,
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      queues: [{ name: 'row-work', counts: { waiting: 2 } }],
    });
  });

  it('leaves other paths to the next handler', async () => {
    const answer = await fetch(`${base}/admin/queuesque`);
    expect(await answer.text()).toBe('elsewhere');
    expect(answer.headers.get('content-security-policy')).toBeNull();
  });
});
