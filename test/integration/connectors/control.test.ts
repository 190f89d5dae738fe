// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import {
  linkTracker,
  type PairOfSource,
  runEnded,
  trackerRequest,
} from '#test/support/connector-client.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let source: TrackerFixture;
let pair: PairOfSource;
let path: string;
let count = 0;

beforeAll(async () => {
  millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  source = await startFixture();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});
beforeEach(async () => {
  count += 1;
  const frequencies = { refresh_freq: 3_600, prune_freq: 86_400 };
  pair = await linkTracker(millrace, { ...source, name: `Pair ${count}` }, frequencies);
  path = `/manage/admin/cc-pair/${pair.pairId}`;
});

const call: TestMillrace['call'] = (...request) => millrace.call(...request);
const detail = async () => (await call('GET', path)).body;
const runs = async () => (await call('GET', `${path}/index-attempts`)).body.items;
const setStatus = (status: string) => call('PUT', `${path}/status`, { status });
const setProperty = (name: string, value: unknown) =>
  call('PUT', `${path}/property`, { name, value });
const minutesFromNow = (iso: string) => (Date.parse(iso) - Date.now()) / 60_000;

describe('frequencies', () => {
  it('take effect at once, count from the last run and prune, and apply to all pairs of the connector', async () => {
    expect(minutesFromNow((await detail()).next_run)).toBeCloseTo(60, 0);
    expect((await setProperty('refresh_frequency', '7200')).body.success).toBe(true);
    expect((await setProperty('pruning_frequency', 600)).body.success).toBe(true);
    const changed = await detail();
    expect(minutesFromNow(changed.next_run)).toBeCloseTo(120, 0);
    expect(minutesFromNow(changed.next_prune)).toBeCloseTo(10, 0);
    expect(changed.connector).toMatchObject({ refresh_freq: 7_200, prune_freq: 600 });
  });

  it('shorter than the time since the last run start a run now', async () => {
    await sql`update index_attempt set created_at = now() - interval '10 minutes'
      where cc_pair_id = ${pair.pairId}`.execute(millrace.services.db);
    await setProperty('refresh_frequency', '300');
    await until(async () => (await runs()).length === 2);
    await runEnded(millrace, pair.pairId);
    expect(minutesFromNow((await detail()).next_run)).toBeCloseTo(5, 0);
  });

  it('are refused below the minimum and switched off by null', async () => {
    expect((await setProperty('refresh_frequency', '59')).body.detail).toContain('at least 60');
    expect((await setProperty('pruning_frequency', '299')).body.detail).toContain('at least 300');
    expect((await setProperty('refresh_frequency', 'often')).status).toBe(400);
    expect((await setProperty('refresh_frequency', null)).status).toBe(200);
    expect(await detail()).toMatchObject({ next_run: null, connector: { refresh_freq: null } });
  });

  it('change with the whole connector, where a missing prune_freq means seven days', async () => {
    const request = trackerRequest(`Pair ${count}`, source.settings, { refresh_freq: 600 });
    const changed = await call('PATCH', `/manage/admin/connector/${pair.connectorId}`, request);
    expect(changed.body).toMatchObject({ refresh_freq: 600, prune_freq: 604_800 });
    const { next_run, next_prune } = await detail();
    expect(minutesFromNow(next_run)).toBeCloseTo(10, 0);
    expect(minutesFromNow(next_prune)).toBeCloseTo(7 * 24 * 60, 0);
  });
});

describe('pausing', () => {
  it('takes the pair off its schedule, and nothing runs until it is resumed', async () => {
    expect((await setStatus('PAUSED')).body).toEqual({ message: '200' });
    expect(await detail()).toMatchObject({ status: 'PAUSED', next_run: null, next_prune: null });
    const refused = [
      await call('POST', `${path}/run`),
      await call('POST', '/manage/admin/connector/run-once', { connector_id: pair.connectorId }),
    ];
    expect(refused.map(({ body }) => body.error_code)).toEqual(['CONFLICT', 'CONFLICT']);
    expect(await runs()).toHaveLength(1);

    expect((await setStatus('ACTIVE')).body).toEqual({ message: '200' });
    await until(async () => (await runs()).length === 2);
    await runEnded(millrace, pair.pairId);
    expect(await detail()).toMatchObject({
      status: 'ACTIVE',
      last_index_attempt_status: 'success',
    });
    expect(minutesFromNow((await detail()).next_prune)).toBeCloseTo(24 * 60, 0);
  });

  it('ends a run in progress', async () => {
    source.server.fault = (request) =>
      request.url.pathname.includes('search') ? { kind: 'drip' } : null;
    await call('POST', `${path}/run`);
    await until(async () => (await runs())[0].status === 'in_progress');
    await setStatus('PAUSED');
    source.server.fault = () => null;
    expect((await runs())[0]).toMatchObject({
      status: 'canceled',
      error_msg: expect.stringContaining('paused'),
    });
  });

  it('refuses a status that only the service may set', async () => {
    expect((await setStatus('DELETING')).body.detail).toContain('body.status');
  });

  it('because of a rejected credential gives the reason, and ends when another credential is swapped in', async () => {
    const stranger = { jira_user_email: 'x@example.com', jira_api_token: 'revoked' };
    await call('PATCH', `/manage/credential/${pair.credentialId}`, { credential_json: stranger });
    await call('POST', `${path}/run`);
    await until(async () => (await detail()).status === 'PAUSED');
    expect((await detail()).status_reason).toContain('authenticated');
    const bad = await call('POST', '/manage/credential', {
      source: 'tracker',
      credential_json: stranger,
    });
    const good = await call('POST', '/manage/credential', {
      source: 'tracker',
      credential_json: source.credential,
    });
    const swap = (id: number) =>
      call('PUT', '/manage/admin/credential/swap', {
        new_credential_id: id,
        connector_id: pair.connectorId,
        access_type: 'private',
      });
    expect((await swap(bad.body.id)).status).toBe(400);
    expect((await detail()).status).toBe('PAUSED');
    expect((await swap(good.body.id)).body).toMatchObject({ success: true, data: pair.pairId });
    await until(async () => (await detail()).last_index_attempt_status === 'success');
    expect(await detail()).toMatchObject({
      status: 'ACTIVE',
      status_reason: null,
      access_type: 'private',
      credential: { id: good.body.id },
    });
  });
});

describe('a requested run', () => {
  it('runs once, and starts from the beginning only on request', async () => {
    const marked = await call('POST', '/manage/admin/connector/run-once', {
      connector_id: pair.connectorId,
      credential_ids: [pair.credentialId],
    });
    expect(marked.body).toEqual({
      success: true,
      message: 'Marked 1 index attempts with indexing triggers.',
      data: 1,
    });
    await runEnded(millrace, pair.pairId);
    const asked = await call('POST', `${path}/run`, { from_beginning: true });
    await runEnded(millrace, pair.pairId);
    const [last] = await runs();
    expect(last).toMatchObject({ id: asked.body.data, from_beginning: true, status: 'success' });
    expect(last.fetched).toBe(source.ids().length);
  });

  it('needs a pair with that credential', async () => {
    const unlinked = await call('POST', '/manage/admin/connector/run-once', {
      connector_id: pair.connectorId,
      credential_ids: [0],
    });
    expect([unlinked.status, unlinked.body.error_code]).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('the other controls', () => {
  it('rename a pair unless the name is taken', async () => {
    expect((await call('PUT', `${path}/name?new_name=Renamed%20${count}`)).body.success).toBe(true);
    expect((await detail()).name).toBe(`Renamed ${count}`);
    const taken = await call('PUT', `${path}/name?new_name=Pair%201`);
    expect([taken.status, taken.body.detail]).toEqual([400, expect.stringContaining('unique')]);
  });

  it('prune on demand and report when', async () => {
    expect((await call('GET', `${path}/last_pruned`)).text).toBe('null');
    const asked = await call('POST', `${path}/prune`);
    expect(asked.body).toMatchObject({ success: true, data: expect.any(Number) });
    await until(async () => (await call('GET', `${path}/last_pruned`)).body !== null);
    const { items } = (await call('GET', `${path}/prune-attempts`)).body;
    expect(items).toMatchObject([{ id: asked.body.data, status: 'success', gone: 0, removed: 0 }]);
    const confirmed = await call('POST', `${path}/prune`, {
      confirm_prune_attempt_id: items[0].id,
    });
    expect([confirmed.status, confirmed.body.detail]).toEqual([
      400,
      expect.stringContaining('confirm_prune_attempt_id'),
    ]);
  });
});
