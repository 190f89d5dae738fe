// @module-tag database
// @module-tag queues
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/api-client.ts';
import { until } from '#test/support/until.ts';
import {
  indexed,
  type NamedDelivery,
  namedDeliveries,
  scraped,
  startWebhookStage,
  type WebhookStage,
  type WebhookTenant,
} from '#test/support/webhook-tenant.ts';

let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage({ WEBHOOK_RETENTION_DAYS: '30' });
});
afterAll(() => stage[Symbol.asyncDispose]());

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const minutesAgo = (minutes: number): string => hoursAgo(minutes / 60);
const rowsOf = (id: string) => namedDeliveries(stage.millrace.services.db, id);
const recover = (tenant: WebhookTenant, id: string, body: object): Promise<Answer> =>
  tenant.call('POST', `/webhook-endpoints/${id}/recover`, body);

const NOTHING = { matched: { failed: 0, missing: 0 }, recovered: 0, dry_run: false };

describe('a recovery', () => {
  it('of 2,500 events counts first, then sends them oldest first, each once', async () => {
    const tenant = await stage.openTenant();
    const { id } = await tenant.createEndpoint();
    await tenant.call('PATCH', `/webhook-endpoints/${id}`, { enabled: false });
    const names = Array.from({ length: 2_500 }, (_, n) => `n${n}`);
    // More than two statements can hold, some with the same microsecond.
    await tenant.emit(names.slice(0, 1_250).map(scraped), 30);
    await tenant.emit(names.slice(1_250).map(scraped), 20);
    await sql`update webhook_event set created_at = date_trunc('second', created_at)
      where workspace_id = (select workspace_id from webhook_endpoint where id = ${id})`.execute(
      stage.millrace.services.db,
    );
    const since = { since: hoursAgo(1) };
    expect((await recover(tenant, id, since)).status).toBe(409);
    await tenant.call('PATCH', `/webhook-endpoints/${id}`, { enabled: true });
    await tenant.silence(id);
    const counted = await recover(tenant, id, { ...since, dry_run: true });
    expect([counted.status, counted.body]).toEqual([
      200,
      { matched: { failed: 0, missing: 2_500 }, recovered: 0, dry_run: true },
    ]);
    expect(await rowsOf(id)).toEqual([]);
    const done = await recover(tenant, id, since);
    expect(done.body).toEqual({
      matched: { failed: 0, missing: 2_500 },
      recovered: 2_500,
      dry_run: false,
    });
    const rows = await rowsOf(id);
    expect(rows.length).toBe(2_500);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(2_500);
    expect(rows.every(({ status, round }) => status === 'pending' && round === 1)).toBe(true);
    const isOlder = ({ name }: NamedDelivery) => Number(name.slice(1)) < 1_250;
    expect(rows.slice(0, 1_250).every(isOlder)).toBe(true);
    expect(rows.slice(1_250).some(isOlder)).toBe(false);
    const { rows: due } = await sql`select 1 from webhook_delivery
      where webhook_endpoint_id = ${id} and next_attempt_at > now()`.execute(
      stage.millrace.services.db,
    );
    expect(due).toEqual([]);
    expect((await recover(tenant, id, since)).body).toEqual(NOTHING);
    expect((await rowsOf(id)).length).toBe(2_500);
  });

  it('begins a new round for failed deliveries, in event order among the missing ones', async () => {
    const tenant = await stage.openTenant();
    await tenant.emit([scraped('missed-1')], 50);
    const id = await tenant.silentEndpoint();
    await tenant.emit(
      [scraped('exhausted'), scraped('canceled'), scraped('delivered'), scraped('waiting')],
      40,
    );
    await tenant.call('PATCH', `/webhook-endpoints/${id}`, { enabled: false });
    await tenant.emit([scraped('missed-2')], 30);
    await tenant.call('PATCH', `/webhook-endpoints/${id}`, { enabled: true });
    await tenant.silence(id);
    await sql`update webhook_delivery d set status = e.payload::json->'data'->>'scrape_id',
        attempts = 10, round_attempts = 10, own_outages = 2, error = 'It failed.',
        finished_at = now(), next_attempt_at = case when e.payload::json->'data'->>'scrape_id'
          in ('pending', 'delivering', 'waiting') then now() + interval '1 day' end
      from webhook_event e where e.id = d.webhook_event_id
        and d.webhook_endpoint_id = ${id}`.execute(stage.millrace.services.db);
    const { body } = await recover(tenant, id, { since: hoursAgo(2) });
    expect(body).toEqual({
      matched: { failed: 2, missing: 2 },
      recovered: 4,
      dry_run: false,
    });
    const outcome = (await rowsOf(id)).map((row) => `${row.name} ${row.status} ${row.round}`);
    expect(outcome.slice(0, 4)).toEqual([
      'missed-1 pending 1',
      'exhausted pending 2',
      'canceled pending 2',
      'missed-2 pending 1',
    ]);
    expect(outcome.slice(4).toSorted()).toEqual(['delivered delivered 1', 'waiting waiting 1']);
    const { rows } = await sql`select round_attempts, own_outages, error, finished_at, attempts
      from webhook_delivery where webhook_endpoint_id = ${id} and round = 2`.execute(
      stage.millrace.services.db,
    );
    const fresh = { round_attempts: 0, own_outages: 0, error: null, finished_at: null };
    expect(rows).toEqual([
      { ...fresh, attempts: 10 },
      { ...fresh, attempts: 10 },
    ]);
    expect((await recover(tenant, id, { since: hoursAgo(2) })).body).toEqual(NOTHING);
  });

  it('leaves out filtered events, pings, expunged payloads and other workspaces', async () => {
    const [tenant, neighbour] = [await stage.openTenant(), await stage.openTenant()];
    const witness = await tenant.silentEndpoint({
      event_types: ['document.indexed', 'lead_scrape.completed'],
    });
    await tenant.call('POST', `/webhook-endpoints/${witness}/test`);
    await neighbour.emit([scraped('theirs')], 10);
    await tenant.emit([scraped('scrape-1'), scraped('expunged'), scraped('scrape-2')], 10);
    await tenant.emit([indexed('document-1')], 10);
    await sql`update webhook_event set payload = null
      where workspace_id = (select workspace_id from webhook_endpoint where id = ${witness})
        and strpos(payload, '"expunged"') > 0`.execute(stage.millrace.services.db);
    const since = { since: hoursAgo(1) };
    const recovered = async (fields: object, extra: object = {}) => {
      const id = await tenant.silentEndpoint(fields);
      const { body } = await recover(tenant, id, { ...since, ...extra });
      expect(body.recovered).toBe(body.matched.missing);
      return (await rowsOf(id)).map(({ name }) => name);
    };
    expect(await recovered({})).toEqual(['scrape-1', 'scrape-2']);
    expect(await recovered({ event_types: ['document.indexed'] })).toEqual(['document-1']);
    expect(await recovered({ event_types: ['ping'] })).toEqual([]);
    const both = { event_types: ['document.indexed', 'lead_scrape.completed'] };
    expect((await recovered(both)).toSorted()).toEqual(['document-1', 'scrape-1', 'scrape-2']);
    expect(await recovered(both, { event_types: ['document.indexed'] })).toEqual(['document-1']);
    expect(await recovered({}, { event_types: ['document.indexed'] })).toEqual([]);
    const { body } = await recover(tenant, witness, since);
    expect(body).toEqual(NOTHING);
  });

  it('includes events at its start and excludes those at its end', async () => {
    const tenant = await stage.openTenant();
    const id = await tenant.silentEndpoint();
    const names = ['a', 'b', 'c', 'd'];
    for (const [n, name] of names.entries()) await tenant.emit([scraped(name)], 40 - 10 * n);
    await sql`delete from webhook_delivery where webhook_endpoint_id = ${id}`.execute(
      stage.millrace.services.db,
    );
    const at = (await tenant.call('GET', '/webhook-events')).body.events.map(
      ({ created_at }: { created_at: string }) => created_at,
    ); // newest first
    await sql`update webhook_event set created_at = date_trunc('milliseconds', created_at)
      where workspace_id = (select workspace_id from webhook_endpoint where id = ${id})`.execute(
      stage.millrace.services.db,
    );
    const window = { since: at[2], until: at[0] };
    expect((await recover(tenant, id, { ...window, dry_run: true })).body.matched.missing).toBe(2);
    await recover(tenant, id, window);
    expect((await rowsOf(id)).map(({ name }) => name)).toEqual(['b', 'c']);
    const rest = { since: at[3].replace('Z', '+00:00'), until: '9000-01-01T00:00:00Z' };
    expect((await recover(tenant, id, rest)).body.matched.missing).toBe(2);
  });

  it.each<[string, object, string]>([
    ['no time', {}, 'body.since'],
    ['a time without an offset', { since: '2026-01-01T00:00:00' }, 'body.since'],
    ['a time in the future', { since: hoursAgo(-1) }, 'future'],
    ['the year 0', { since: '0000-01-01T00:00:00Z' }, 'body.since'],
    ['an end before the beginning', { since: minutesAgo(5), until: minutesAgo(6) }, 'body.until'],
    ['an unknown type', { since: minutesAgo(5), event_types: ['no.such'] }, '"no.such"'],
    ['no types', { since: minutesAgo(5), event_types: [] }, 'body.event_types'],
    ['an unknown key', { since: minutesAgo(5), limit: 5 }, '"limit"'],
  ])('with %s is refused', async (_, body, words) => {
    const tenant = await stage.openTenant();
    const { id } = await tenant.createEndpoint();
    const { status, body: problem } = await recover(tenant, id, body);
    expect([status, problem.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(problem.detail).toContain(words);
  });

  it('from before the retention period includes everything that exists', async () => {
    const tenant = await stage.openTenant();
    await tenant.emit([scraped('kept')], 10);
    const id = await tenant.silentEndpoint();
    const { body } = await recover(tenant, id, { since: '2020-01-01T00:00:00Z' });
    expect(body.recovered).toBe(1);
  });

  it('concurrent with another sends each event once, and their counts add up', async () => {
    const tenant = await stage.openTenant();
    await tenant.emit(
      Array.from({ length: 300 }, (_, n) => scraped(`n${n}`)),
      10,
    );
    const id = await tenant.silentEndpoint();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => recover(tenant, id, { since: hoursAgo(1) })),
    );
    const recovered = answers.reduce((sum, { body }) => sum + body.recovered, 0);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect([recovered, (await rowsOf(id)).length]).toEqual([300, 300]);
  });

  it('delivers what was emitted while the endpoint was disabled', async () => {
    const tenant = await stage.openTenant();
    const path = `/${randomUUID()}`;
    const { id } = await tenant.createEndpoint({ url: stage.receiver.url + path, enabled: false });
    await tenant.emit([scraped('x'), scraped('y'), scraped('z')], 10);
    await tenant.call('PATCH', `/webhook-endpoints/${id}`, { enabled: true });
    expect((await recover(tenant, id, { since: hoursAgo(1) })).body.recovered).toBe(3);
    await until(async () => (await rowsOf(id)).every(({ status }) => status === 'delivered'));
    const bodies = stage.receiver.requestsTo(path).map(({ body }) => JSON.parse(body.toString()));
    expect(new Set(bodies.map(({ data }) => data.scrape_id))).toEqual(new Set(['x', 'y', 'z']));
  });
});
