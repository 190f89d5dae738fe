import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '#test/support/until.ts';
import {
  namedDeliveries,
  scraped,
  startWebhookStage,
  type WebhookStage,
} from '#test/support/webhook-tenant.ts';

let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const rowsOf = (id: string) => namedDeliveries(stage.millrace.services.db, id);

describe('a resend', () => {
  it('begins a new round of a delivery in any state except in progress', async () => {
    const tenant = await stage.openTenant();
    const id = await tenant.silentEndpoint();
    await tenant.emit([scraped('one')]);
    const [delivery] = (await tenant.call('GET', '/webhook-deliveries')).body.deliveries;
    const path = `/webhook-deliveries/${delivery.id}`;
    const setStatus = (status: string) =>
      sql`update webhook_delivery set status = ${status}, round_attempts = 3, attempts = 3,
        next_attempt_at = case when ${status} in ('pending', 'delivering', 'waiting')
          then now() + interval '1 day' end, error = 'x', finished_at = now()
        where id = ${delivery.id}`.execute(stage.millrace.services.db);
    for (const status of ['pending', 'delivering']) {
      await setStatus(status);
      const before = (await tenant.call('GET', path)).body;
      const refused = await tenant.call('POST', `${path}/resend`, {});
      expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
      expect((await tenant.call('GET', path)).body).toEqual(before);
    }
    let round = 1;
    for (const status of ['delivered', 'waiting', 'exhausted', 'canceled']) {
      await setStatus(status);
      const resent = await tenant.call('POST', `${path}/resend`);
      round += 1;
      expect([resent.status, resent.body]).toEqual([
        202,
        expect.objectContaining({
          id: delivery.id,
          status: 'pending',
          round,
          attempts: 3,
          error: null,
          finished_at: null,
        }),
      ]);
      expect(Date.parse(resent.body.next_attempt_at)).toBeLessThan(Date.now() + 60_000);
    }
    await setStatus('exhausted');
    await tenant.call('PATCH', `/webhook-endpoints/${id}`, { enabled: false });
    const refused = await tenant.call('POST', `${path}/resend`);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.detail).toContain('disabled');
  });

  it('requested ten times at once happens once', async () => {
    const tenant = await stage.openTenant();
    const id = await tenant.silentEndpoint();
    await tenant.emit([scraped('one')]);
    await sql`update webhook_delivery set status = 'delivered', next_attempt_at = null
      where webhook_endpoint_id = ${id}`.execute(stage.millrace.services.db);
    const [delivery] = (await tenant.call('GET', '/webhook-deliveries')).body.deliveries;
    const path = `/webhook-deliveries/${delivery.id}/resend`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.call('POST', path)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    expect(await rowsOf(id)).toMatchObject([{ status: 'pending', round: 2 }]);
  });

  it('reaches the receiver with the same bytes and the same webhook-id', async () => {
    const tenant = await stage.openTenant();
    const path = `/${randomUUID()}`;
    const { id } = await tenant.createEndpoint({ url: stage.receiver.url + path });
    const { body: sent } = await tenant.call('POST', `/webhook-endpoints/${id}/test`);
    const arrived = (count: number) =>
      until(async () => {
        const { body } = await tenant.call('GET', sent.status_url);
        return body.status === 'delivered' && stage.receiver.requestsTo(path).length === count;
      });
    await arrived(1);
    expect((await tenant.call('POST', `${sent.status_url}/resend`)).status).toBe(202);
    await arrived(2);
    const [first, second] = stage.receiver.requestsTo(path);
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['webhook-id']).toBe(sent.event_id);
    const { body } = await tenant.call('GET', `${sent.status_url}/attempts`);
    expect(body.attempts).toMatchObject([
      { round: 1, outcome: 'delivered' },
      { round: 2, outcome: 'delivered' },
    ]);
  });
});
