// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import type { WebhookEndpointId } from '#src/ids.ts';
import { until } from '#test/support/until.ts';
import { scraped, startWebhookStage, type WebhookStage } from '#test/support/webhook-tenant.ts';

const ROUNDS = 40;
const EVENTS_A_ROUND = 5;

let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe('an endpoint changed by many clients during delivery', () => {
  it('never answers with a 5xx, and finally every event has arrived', async () => {
    const { services } = stage.millrace;
    const tenant = await stage.openTenant();
    const { id } = await tenant.createEndpoint({ url: `${stage.receiver.url}/raced` });
    // Fails often enough to keep many deliveries waiting, but not to exhaust any.
    stage.receiver.behave = (_, count) => ({
      kind: 'answer',
      status: count % 4 === 0 ? 503 : 204,
    });
    const path = `/webhook-endpoints/${id}`;
    const since = new Date(Date.now() - 600_000).toISOString();
    const resendNewest = async () => {
      const { body } = await tenant.call('GET', `/webhook-deliveries?endpoint_id=${id}&limit=3`);
      const ids: number[] = body.deliveries.map((one: { id: number }) => one.id);
      return Promise.all(
        ids.map((one) => tenant.call('POST', `/webhook-deliveries/${one}/resend`)),
      );
    };
    const statuses = new Set<number>();
    const hands = [
      async () => [await tenant.call('PATCH', path, { enabled: false })],
      async () => [await tenant.call('PATCH', path, { enabled: true, rate_limit: null })],
      async () => [await tenant.call('PATCH', path, { description: 'Again' })],
      async () => [await tenant.call('POST', `${path}/rotate-secret`)],
      async () => [await tenant.call('POST', `${path}/test`)],
      async () => [await tenant.call('POST', `${path}/recover`, { since })],
      resendNewest,
      async () => {
        await tenant.emit(
          Array.from({ length: EVENTS_A_ROUND }, () => scraped(crypto.randomUUID())),
        );
        await sendDeliveries(services, [id as WebhookEndpointId]); // created above
        return [];
      },
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(hands.map((hand) => hand()));
      for (const { status } of answers.flat()) statuses.add(status);
    }
    expect([...statuses].filter((status) => ![200, 202, 409].includes(status))).toEqual([]);

    stage.receiver.behave = () => ({ kind: 'answer' });
    await tenant.call('PATCH', path, { enabled: true });
    await tenant.call('POST', `${path}/recover`, { since });
    await until(async () => {
      await sql`update webhook_delivery set next_attempt_at = now()
        where webhook_endpoint_id = ${id} and status = 'waiting'`.execute(services.db);
      await tenant.call('PATCH', path, { enabled: true }); // closes the breaker and wakes the worker
      const { rows } = await sql`select 1 from webhook_delivery
        where webhook_endpoint_id = ${id} and status <> 'delivered'`.execute(services.db);
      return rows.length === 0;
    });
    const { rows: events } = await sql<{ id: string }>`select id from webhook_event
      where workspace_id = ${tenant.workspaceId} and type = 'lead_scrape.completed'`.execute(
      services.db,
    );
    expect(events.length).toBe(ROUNDS * EVENTS_A_ROUND);
    const seen = new Set(stage.receiver.requests.map(({ headers }) => headers['webhook-id']));
    expect(events.filter((event) => !seen.has(event.id))).toEqual([]);
  });
});
