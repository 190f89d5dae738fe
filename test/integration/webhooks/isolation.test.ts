// @module-tag database
import { describe, expect, it } from 'vitest';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';
import { received, statusesOf, webhookIds, writeEvents } from '#test/support/webhook-endpoints.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { insertEndpoint, sendPings } from '#test/support/webhook-rows.ts';

const ALLOWED = { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };
const EVENTS = 200;
const HEALTHY = Array.from({ length: 10 }, (_, index) => `/healthy-${index}`);

async function workspaceOf(millrace: TestMillrace): Promise<WorkspaceId> {
  // The type is what the API gives out.
  return (await millrace.createWorkspace()).workspaceId as WorkspaceId;
}

async function insertAll(
  { services }: TestMillrace,
  workspaceId: WorkspaceId,
  { url }: WebhookReceiver,
  paths: readonly string[],
): Promise<WebhookEndpointId[]> {
  const ids: WebhookEndpointId[] = [];
  for (const path of paths) {
    const columns = path === '/paced' ? { rate_limit: 60 } : {};
    ids.push((await insertEndpoint(services, workspaceId, url + path, columns)).id);
  }
  return ids;
}

describe('beside an endpoint that is dead, one that is slow and one that is paced', () => {
  it('all events of ten healthy ones arrive while the slow one has answered nothing', async () => {
    const healthyHaveAll = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      behave: (path) => {
        if (path === '/dead') return { kind: 'hang' };
        return path === '/slow'
          ? { kind: 'answer', after: healthyHaveAll.promise }
          : { kind: 'answer' };
      },
    });
    await using millrace = await startTestMillrace(ALLOWED);
    const { services } = millrace;
    const workspaceId = await workspaceOf(millrace);
    const troubled = ['/dead', '/slow', '/paced'];
    const [dead, slow, paced] = await insertAll(millrace, workspaceId, receiver, troubled);
    if (!dead || !slow || !paced) throw new Error('Three endpoints were inserted.');
    const healthy = await insertAll(millrace, workspaceId, receiver, HEALTHY);
    await writeEvents(services, workspaceId, EVENTS);
    // What troubles is under way before the others' turn comes.
    await sendDeliveries(services, [dead, slow, paced]);
    for (const path of troubled) await received(receiver, path, 1);
    await sendDeliveries(services, healthy);
    for (const path of HEALTHY) await received(receiver, path, EVENTS);
    expect((await statusesOf(services.db, slow)).pending).toBeGreaterThan(0);
    expect((await statusesOf(services.db, paced)).pending).toBeGreaterThan(0);
    for (const path of HEALTHY) {
      expect(new Set(webhookIds(receiver.requestsTo(path))).size).toBe(EVENTS);
    }
    healthyHaveAll.resolve();
  });
});

describe('a workspace with thirty endpoints full of work', () => {
  it('does not keep the single event of another one waiting', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `/busy-${index}`);
    const backlog = 60;
    const held: (() => void)[] = [];
    const places = 4;
    await using receiver = await startReceiver({
      behave: () => {
        const answer = Promise.withResolvers<void>();
        held.push(answer.resolve);
        return { kind: 'answer', after: answer.promise };
      },
    });
    await using millrace = await startTestMillrace({
      ...ALLOWED,
      WEBHOOK_DELIVER_CONCURRENCY: String(places),
    });
    const { services } = millrace;
    const busy = await workspaceOf(millrace);
    const other = await workspaceOf(millrace);
    await insertAll(millrace, busy, receiver, paths);
    const [single] = await insertAll(millrace, other, receiver, ['/single']);
    if (!single) throw new Error('An endpoint was inserted.');
    await sendDeliveries(services, await writeEvents(services, busy, backlog));
    const begun = async (count: number): Promise<void> =>
      until(() => Promise.resolve(receiver.requests.length >= count), 20_000, 5);
    await begun(places);
    await sendPings(services, other, single);
    let answered = 0;
    while (receiver.requestsTo('/single').length === 0) {
      held[answered]?.();
      answered += 1;
      await begun(places + answered);
    }
    for (const answer of held) answer();
    const begunOnes = paths.filter((path) => receiver.requestsTo(path).length > 0);
    // Each place was left once before, at most: the next one free was the other workspace's.
    expect(begunOnes.length).toBeLessThanOrEqual(2 * places);
  });
});
