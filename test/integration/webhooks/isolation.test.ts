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
  // The API returns an untyped id.
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

describe('beside a dead, a slow and a paced endpoint', () => {
  it('all events of ten healthy ones arrive before the slow one has answered anything', async () => {
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
    if (!dead || !slow || !paced) throw new Error('Three endpoints must exist.');
    const healthy = await insertAll(millrace, workspaceId, receiver, HEALTHY);
    await writeEvents(services, workspaceId, EVENTS);
    // The troubled endpoints are in progress before the others' turn comes.
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

describe('a workspace with thirty busy endpoints', () => {
  it('does not delay the single event of another workspace', async () => {
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
    if (!single) throw new Error('The endpoint must exist.');
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
    // Each slot was released at most once before the next free one went to the other workspace.
    expect(begunOnes.length).toBeLessThanOrEqual(2 * places);
  });
});
