// @module-tag smoke
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emitEvents, sendDeliveries } from '#src/webhooks/emit-event.ts';
import { makeSecret } from '#src/webhooks/sign.ts';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let workspaceId: WorkspaceId;
let server: Server;
const seen: { path: string; headers: Record<string, unknown>; body: string }[] = [];
let answer: (path: string, count: number) => number = () => 204;

beforeAll(async () => {
  millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  workspaceId = (await millrace.createWorkspace()).workspaceId as WorkspaceId;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      seen.push({ path, headers: request.headers, body });
      response.statusCode = answer(path, seen.filter((one) => one.path === path).length);
      response.end('ok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await millrace[Symbol.asyncDispose]();
});

async function insertEndpoint(path: string): Promise<{ id: WebhookEndpointId; secret: string }> {
  const id = randomUUID() as WebhookEndpointId;
  const secret = makeSecret();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  await millrace.services.db
    .insertInto('webhook_endpoint')
    .values({
      id,
      workspace_id: workspaceId,
      url,
      secret: millrace.services.secrets.seal(secret, `webhook_endpoint:${id}`),
    })
    .execute();
  return { id, secret };
}

async function emitPings(count: number, onlyTo: WebhookEndpointId): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    type: 'ping' as const,
    data: { endpoint_id: onlyTo, message: `${index}` },
    workspaceId,
    at: new Date(),
    onlyTo,
  }));
  const { db } = millrace.services;
  const toDeliver = await db.transaction().execute((trx) => emitEvents(trx, events));
  await sendDeliveries(millrace.services, toDeliver);
}

async function statuses(id: WebhookEndpointId): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; n: number }>`
    select status, count(*)::int as n from webhook_delivery where webhook_endpoint_id = ${id}
    group by 1`.execute(millrace.services.db);
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

describe('a delivery', () => {
  it('arrives signed, once, with exactly the bytes of the event', async () => {
    const { id, secret } = await insertEndpoint('/good');
    await emitPings(1, id);
    await until(async () => (await statuses(id))['delivered'] === 1);
    const [request] = seen.filter(({ path }) => path === '/good');
    expect(request?.headers['x-signature']).toBe(
      createHmac('sha256', secret)
        .update(request?.body ?? '')
        .digest('hex'),
    );
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      id: request?.headers['webhook-id'],
      type: 'ping',
    });
  });

  it('is retried after a failure, with the same id', async () => {
    answer = (path, count) => (path === '/flaky' && count === 1 ? 500 : 204);
    const { id } = await insertEndpoint('/flaky');
    await emitPings(1, id);
    await until(async () => (await statuses(id))['delivered'] === 1);
    const ids = seen
      .filter(({ path }) => path === '/flaky')
      .map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('of each of a thousand events arrives once', async () => {
    const { id } = await insertEndpoint('/many');
    await emitPings(1_000, id);
    await until(async () => (await statuses(id))['delivered'] === 1_000);
    const ids = seen
      .filter(({ path }) => path === '/many')
      .map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(1_000);
    expect(new Set(ids).size).toBe(1_000);
  });
});
