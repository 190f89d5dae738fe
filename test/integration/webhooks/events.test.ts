import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPE_NAMES } from '#src/webhooks/event-types.ts';
import { until } from '#test/support/until.ts';
import { inTurn } from '#test/support/webhook-receiver.ts';
import { startWebhookStage, verified, type WebhookStage } from '#test/support/webhook-tenant.ts';

let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe('a lookup by id', () => {
  const EVENT = `evt_${'0'.repeat(32)}`;
  it.each([
    ['GET', '/webhook-events/1'],
    ['GET', `/webhook-events/${EVENT}`],
    ['GET', `/webhook-events/${EVENT.toUpperCase()}`],
    ['GET', `/webhook-events/${'x'.repeat(5_000)}`],
    ['DELETE', `/webhook-events/${EVENT}/payload`],
    ['DELETE', '/webhook-events/x/payload'],
    ...['x', '-1', '1.5', '1e3', '0x1', '0', '999999999999999', '9'.repeat(40), randomUUID()].map(
      (id) => ['GET', `/webhook-deliveries/${id}`],
    ),
    ['GET', '/webhook-deliveries/999999999/attempts'],
    ['GET', '/webhook-deliveries/x/attempts'],
    ['POST', '/webhook-deliveries/999999999/resend'],
    ['POST', '/webhook-deliveries/x/resend'],
  ])('%s %s is 404 when nothing has that id', async (method, path) => {
    const { status, body } = await stage.millrace.call(method ?? '', path ?? '');
    expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
    expect(body.detail.length).toBeLessThan(300);
  });

  it('is 404 for another workspace, and nothing is listed or changed', async () => {
    const [owner, stranger] = [await stage.openTenant(), await stage.openTenant()];
    const endpoint = await owner.silentEndpoint();
    await owner.emit([verified('secret@example.com')]);
    const { body } = await owner.call('GET', '/webhook-deliveries');
    const [{ id, event_id }] = body.deliveries;
    await sql`update webhook_delivery set status = 'exhausted', next_attempt_at = null where id = ${id}`.execute(
      stage.millrace.services.db,
    );
    for (const [method, path] of [
      ['GET', `/webhook-events/${event_id}`],
      ['DELETE', `/webhook-events/${event_id}/payload`],
      ['GET', `/webhook-deliveries/${id}`],
      ['GET', `/webhook-deliveries/${id}/attempts`],
      ['POST', `/webhook-deliveries/${id}/resend`],
    ] as const) {
      expect((await stranger.call(method, path)).status, path).toBe(404);
    }
    for (const path of [
      '/webhook-events',
      '/webhook-deliveries',
      `/webhook-deliveries?endpoint_id=${endpoint}`,
      `/webhook-deliveries?event_id=${event_id}`,
    ]) {
      const { body: listed } = await stranger.call('GET', path);
      expect(listed.events ?? listed.deliveries).toEqual([]);
    }
    const kept = (await owner.call('GET', `/webhook-events/${event_id}`)).body;
    expect(kept.payload.data.email).toBe('secret@example.com');
    expect(kept.deliveries).toMatchObject([{ id, status: 'exhausted', round: 1 }]);
  });
});

describe('an event', () => {
  it('is shown with the envelope that is posted and with its deliveries', async () => {
    const tenant = await stage.openTenant();
    const endpoint = await tenant.silentEndpoint();
    const event = verified('Grüße@example.com');
    await tenant.emit([event]);
    const [listed] = (await tenant.call('GET', '/webhook-events')).body.events;
    const { body } = await tenant.call('GET', `/webhook-events/${listed.id}`);
    expect(body).toEqual({
      id: listed.id,
      type: event.type,
      timestamp: listed.timestamp,
      created_at: listed.created_at,
      payload: { id: listed.id, type: event.type, timestamp: listed.timestamp, data: event.data },
      deliveries: [expect.objectContaining({ endpoint_id: endpoint, status: 'pending' })],
    });
  });

  it('has a type that is documented with a schema of its data', async () => {
    const { status, body } = await stage.millrace.call('GET', '/webhook-event-types');
    expect(status).toBe(200);
    expect(body.event_types.map(({ type }: { type: string }) => type)).toEqual(EVENT_TYPE_NAMES);
    expect(body.event_types).toContainEqual({
      type: 'document.failed',
      summary: expect.stringContaining('could not be indexed'),
      opt_in: true,
      data_schema: expect.objectContaining({
        type: 'object',
        properties: expect.objectContaining({
          count: expect.objectContaining({ type: 'integer' }),
        }),
      }),
    });
  });
});

describe('expunging a payload', () => {
  it('also deletes receiver answers, cancels what waits, and prevents it from ever being sent again', async () => {
    const tenant = await stage.openTenant();
    stage.receiver.behave = inTurn({ kind: 'answer', status: 500, body: 'secret of the receiver' });
    const url = `${stage.receiver.url}/expunged`;
    const { body: endpoint } = await tenant.call('POST', '/webhook-endpoints', { url });
    const silent = await tenant.silentEndpoint();
    const sent = (await tenant.call('POST', `/webhook-endpoints/${endpoint.id}/test`, {})).body;
    await tenant.emit([verified('me@example.com')]);
    const [event] = (await tenant.call('GET', '/webhook-events')).body.events;
    const attempts = async () =>
      (await tenant.call('GET', `${sent.status_url}/attempts`)).body.attempts;
    await until(async () => (await attempts()).length > 0);
    expect(await attempts()).toMatchObject([
      {
        round: 1,
        outcome: 'failed',
        counts: true,
        status_code: 500,
        answer: 'secret of the receiver',
      },
    ]);
    for (const id of [sent.event_id, event.id, event.id]) {
      const { status, body } = await tenant.call('DELETE', `/webhook-events/${id}/payload`);
      expect([status, body]).toEqual([200, { status: 'deleted', id }]);
    }
    expect(await attempts()).toMatchObject([{ status_code: 500, answer: null }]);
    const kept = await tenant.call('GET', `/webhook-events/${event.id}`);
    expect(kept.body.payload).toBeNull();
    expect(kept.text).not.toContain('me@example.com');
    const canceled = (deliveries: { endpoint_id: string }[]) =>
      deliveries.find(({ endpoint_id }) => endpoint_id === silent);
    expect(canceled(kept.body.deliveries)).toMatchObject({
      status: 'canceled',
      error: expect.stringContaining('expunged'),
      next_attempt_at: null,
      finished_at: expect.any(String),
    });
    const refused = await tenant.call('POST', `${sent.status_url}/resend`);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.detail).toContain('expunged');
  });
});

describe('the attempts of a delivery', () => {
  it('are listed oldest first, and limited to the latest 1,000', async () => {
    const tenant = await stage.openTenant();
    await tenant.silentEndpoint();
    await tenant.emit([verified('many@example.com')]);
    const [delivery] = (await tenant.call('GET', '/webhook-deliveries')).body.deliveries;
    await sql`insert into webhook_attempt (workspace_id, webhook_delivery_id, round, outcome, counts,
        duration_ms, started_at)
      select workspace_id, id, n, 'failed', true, n, now() + n * interval '1 second'
      from webhook_delivery, generate_series(1, 1005) n where id = ${delivery.id}`.execute(
      stage.millrace.services.db,
    );
    const { body } = await tenant.call('GET', `/webhook-deliveries/${delivery.id}/attempts`);
    const rounds: number[] = body.attempts.map(({ round }: { round: number }) => round);
    expect(rounds).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 6));
    expect(body.attempts[0]).toEqual({
      id: expect.any(Number),
      round: 6,
      outcome: 'failed',
      counts: true,
      status_code: null,
      error_class: null,
      error: null,
      answer: null,
      duration_ms: 6,
      started_at: expect.any(String),
    });
  });
});
