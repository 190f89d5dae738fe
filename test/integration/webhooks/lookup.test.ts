import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  scraped,
  startWebhookStage,
  verified,
  type WebhookStage,
  type WebhookTenant,
} from '#test/support/webhook-tenant.ts';

let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Listed {
  id: string;
  type: string;
  timestamp: string;
}

/** Follows the cursors to the end. @param between runs before each further page */
async function readAll<T>(
  tenant: WebhookTenant,
  path: string,
  field: string,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = '', pages = 0; pages < 100; pages += 1) {
    const { status, body, text } = await tenant.call('GET', path + cursor);
    expect(status, text).toBe(200);
    all.push(...body[field]);
    if (body.next_cursor === null) return all;
    cursor = `&cursor=${body.next_cursor}`;
    await between();
  }
  throw new Error('The listing does not end.');
}

describe('the list of events', () => {
  it('neither repeats nor skips an entry while events of the same moment arrive', async () => {
    const tenant = await stage.openTenant();
    await tenant.silentEndpoint();
    await tenant.emit(Array.from({ length: 7 }, (_, n) => verified(`${n}@example.com`)));
    await tenant.emit(Array.from({ length: 4 }, (_, n) => scraped(`s${n}`)));
    const before = await readAll<Listed>(tenant, '/webhook-events?limit=200', 'events');
    expect(before.length).toBe(11);
    const later = () => tenant.emit([verified('late@example.com'), scraped('late')]);
    const paged = await readAll<Listed>(tenant, '/webhook-events?limit=3', 'events', later);
    expect(paged.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const times = before.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted().toReversed());
    const after = await readAll<Listed>(tenant, '/webhook-events?limit=200', 'events');
    expect(after.length).toBe(11 + 3 * 2);
    expect(after.slice(-11)).toEqual(before);
  });

  it('ends at a page that is exactly full', async () => {
    const tenant = await stage.openTenant();
    await tenant.emit([verified('a@example.com'), verified('b@example.com')]);
    const { body } = await tenant.call('GET', '/webhook-events?limit=2');
    expect([body.events.length, body.next_cursor]).toEqual([2, null]);
  });

  it('keeps its place when the last shown event is deleted', async () => {
    const tenant = await stage.openTenant();
    for (const n of [1, 2, 3, 4]) await tenant.emit([verified(`${n}@example.com`)]);
    const all = await readAll<Listed>(tenant, '/webhook-events?limit=200', 'events');
    const { body } = await tenant.call('GET', '/webhook-events?limit=2');
    await sql`delete from webhook_event where id = ${all[1]?.id}`.execute(
      stage.millrace.services.db,
    );
    const rest = await tenant.call('GET', `/webhook-events?cursor=${body.next_cursor}`);
    expect(rest.body.events).toEqual(all.slice(2));
  });

  it('can be filtered by type and time, and counts deliveries by status', async () => {
    const tenant = await stage.openTenant();
    const first = await tenant.silentEndpoint();
    await tenant.silentEndpoint({ event_types: ['lead_scrape.completed'] });
    await tenant.emit([verified('old@example.com')], 120);
    await tenant.emit([verified('new@example.com')]);
    await tenant.emit([scraped('s')]);
    await sql`update webhook_delivery set status = 'exhausted', next_attempt_at = null where webhook_endpoint_id = ${first}
      and event_type = 'lead_scrape.completed'`.execute(stage.millrace.services.db);
    const list = async (query: string): Promise<unknown[]> =>
      (await tenant.call('GET', `/webhook-events?${query}`)).body.events;
    const none = { pending: 0, delivering: 0, delivered: 0, waiting: 0, exhausted: 0, canceled: 0 };
    expect(await list('type=lead_scrape.completed')).toMatchObject([
      { type: 'lead_scrape.completed', deliveries: { ...none, pending: 1, exhausted: 1 } },
    ]);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect(await list(`until=${hourAgo}`)).toMatchObject([{ deliveries: { ...none, pending: 1 } }]);
    expect((await list(`since=${hourAgo}`)).length).toBe(2);
    expect(await list(`since=${hourAgo}&type=email_account.verified`)).toHaveLength(1);
    expect(await list(`since=${hourAgo}&until=${hourAgo}`)).toEqual([]);
    expect(await list('type=ping')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=1.5',
    'limit=',
    'limit=5&limit=6',
    'type=',
    'type=no.such',
    'since=yesterday',
    'since=2026-01-01',
    'since=2026-01-01T00:00:00',
    'since=2026-01-01T00:00:00+02:00',
    'since=0000-01-01T00:00:00Z',
    'until=9999-12-31T23:59:59-23:00',
    'cursor=',
    'cursor=%F0%9F%92%A9',
    `cursor=${Buffer.from('1:evt_1').toString('base64url')}`,
    `cursor=${Buffer.from(`${'9'.repeat(17)}:evt_${'0'.repeat(32)}`).toString('base64url')}`,
    `cursor=${Buffer.from('before:5').toString('base64url')}`,
    'colour=red',
  ])('refuses %s', async (query) => {
    const { status, body } = await stage.millrace.call('GET', `/webhook-events?${query}`);
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toMatch(/^query/);
  });

  it('accepts the farthest possible cursor', async () => {
    const farthest = `${'9'.repeat(16)}:evt_${'f'.repeat(32)}`;
    const cursor = Buffer.from(farthest).toString('base64url');
    expect((await stage.millrace.call('GET', `/webhook-events?cursor=${cursor}`)).status).toBe(200);
  });
});

describe('the list of deliveries', () => {
  it('pages through them while others arrive, and can be filtered', async () => {
    const tenant = await stage.openTenant();
    const one = await tenant.silentEndpoint();
    const two = await tenant.silentEndpoint({ event_types: ['email_account.verified'] });
    for (let n = 0; n < 5; n += 1)
      await tenant.emit([verified(`${n}@example.com`), scraped(`${n}`)]);
    const read = (query: string, between?: () => Promise<unknown>) =>
      readAll<Listed & { endpoint_id: string; event_id: string }>(
        tenant,
        `/webhook-deliveries?${query}`,
        'deliveries',
        between,
      );
    const all = await read('limit=200');
    expect(all.length).toBe(15);
    const paged = await read('limit=4', () => tenant.emit([verified('late@example.com')]));
    expect(paged).toEqual(all);
    expect(all[0]).toEqual({
      id: expect.any(Number),
      event_id: expect.stringMatching(/^evt_[\da-f]{32}$/),
      event_type: expect.any(String),
      endpoint_id: expect.any(String),
      status: 'pending',
      attempts: 0,
      round: 1,
      next_attempt_at: expect.any(String),
      last_status_code: null,
      error: null,
      created_at: expect.any(String),
      delivered_at: null,
      finished_at: null,
    });
    expect((await read(`limit=200&endpoint_id=${two}`)).every((d) => d.endpoint_id === two)).toBe(
      true,
    );
    expect(await read(`event_id=${all[0]?.event_id}`)).toEqual(
      all.filter(({ event_id }) => event_id === all[0]?.event_id),
    );
    const scrapes = `limit=200&endpoint_id=${one.toUpperCase()}&event_type=lead_scrape.completed`;
    expect((await read(scrapes)).length).toBe(5);
    expect((await read('status=pending&limit=200')).length).toBe(15 + 3 * 2);
    expect(await read('status=exhausted')).toEqual([]);
    expect(await read(`since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await read(`endpoint_id=${randomUUID()}`)).toEqual([]);
    expect(await read('event_id=nothing')).toEqual([]);
  });

  it.each(['status=lost', 'endpoint_id=1', 'event_type=x', 'limit=201', 'cursor=!', 'page=2'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await stage.millrace.call('GET', `/webhook-deliveries?${query}`);
      expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    },
  );
});
