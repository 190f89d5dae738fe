import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { link, linkTracker, runEnded, trackerRequest } from '#test/support/connector-client.ts';
import { insertUser } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let source: TrackerFixture;

beforeAll(async () => {
  millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  source = await startFixture();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});

const call: TestMillrace['call'] = (...request) => millrace.call(...request);
const create = (request: object) => call('POST', '/manage/admin/connector', request);
const tracker = (name: string, changes: Record<string, unknown> = {}) =>
  trackerRequest(name, source.settings, changes);
const credentialFor = async (credential_json: object, kind = 'tracker'): Promise<number> =>
  (await call('POST', '/manage/credential', { source: kind, credential_json })).body.id;
const ownWorkspace = async (): Promise<string | undefined> =>
  (
    await sql<{ id: string }>`select id from workspace where is_bootstrap`.execute(
      millrace.services.db,
    )
  ).rows[0]?.id;
const pairsNamed = async (name: string) =>
  (await call('GET', '/manage/admin/connector/status')).body.filter(
    (pair: { name: string }) => pair.name === name,
  );

describe('the connector kinds', () => {
  it('describe their settings', async () => {
    const { status, body } = await call('GET', '/manage/admin/connector-kinds');
    expect(status).toBe(200);
    for (const kind of body) {
      expect(kind.settings.type, kind.kind).toBe('object');
      expect(Object.keys(kind.settings.properties).length, kind.kind).toBeGreaterThan(0);
    }
    expect(body.find((kind: { kind: string }) => kind.kind === 'tracker')).toMatchObject({
      aliases: ['jira'],
      needs_credential: true,
      credential: { properties: { jira_api_token: { description: expect.any(String) } } },
    });
  });
});

describe('an invalid connector', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'an unknown key',
      { connector_specific_config: { tracker_base_url: 'https://a.test', colour: 1 } },
      'body.connector_specific_config.colour',
    ],
    [
      'a key of the wrong type',
      { connector_specific_config: { tracker_base_url: 7 } },
      'body.connector_specific_config.tracker_base_url',
    ],
    [
      'a missing key',
      { connector_specific_config: {} },
      'body.connector_specific_config.tracker_base_url',
    ],
    [
      'a missing key, with the error text of existing clients',
      { source: 'jira', connector_specific_config: { project_key: 'ABC' } },
      'jira_base_url',
    ],
    [
      'an invalid address, with the error text of existing clients',
      { source: 'jira', connector_specific_config: { jira_base_url: 'not an address' } },
      'body.connector_specific_config.jira_base_url',
    ],
    ['no settings at all', { connector_specific_config: null }, 'body.connector_specific_config'],
    ['an unknown source', { source: 'teleprinter' }, 'Known: '],
    ['the source type reserved for pushed documents', { source: 'ingestion_api' }, 'body.source'],
    ['permission sync', { access_type: 'sync' }, 'permissions of the source are not mirrored'],
    ['a refresh every second', { refresh_freq: 1 }, 'body.refresh_freq: must be at least 60'],
    ['a prune every minute', { prune_freq: 60 }, 'body.prune_freq: must be at least 300'],
    ['an unsupported input type', { input_type: 'push' }, 'body.input_type'],
    ['a blank name', { name: '  ' }, 'body.name'],
  ])('%s is refused and the field is named', async (_, changes, words) => {
    const { status, body } = await create(tracker('Misfit', changes));
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain(words);
    const names = (await call('GET', '/manage/connector')).body.map(
      (one: { name: string }) => one.name,
    );
    expect(names).not.toContain('Misfit');
  });

  it('is refused when its name is taken for the same source, but not for another source', async () => {
    expect((await create(tracker('Twin'))).body).toEqual({
      id: expect.any(Number),
      credential: null,
    });
    const again = await create(tracker('Twin'));
    expect([again.status, again.body.detail]).toEqual([
      400,
      expect.stringContaining('Connector by this name already exists'),
    ]);
    const slack = tracker('Twin', { source: 'slack', connector_specific_config: {} });
    expect((await create(slack)).status).toBe(200);
  });
});

describe('a linked connector', () => {
  it('appears in the list, runs within seconds and reports its state correctly', async () => {
    const { id } = (await create(tracker('Whole'))).body;
    expect(await pairsNamed('Whole')).toEqual([]);
    const linked = await link(millrace, id, await credentialFor(source.credential));
    expect(linked.body).toEqual({
      success: true,
      message: expect.stringMatching(`^Creating new association between Connector ${id} and`),
      data: expect.any(Number),
    });
    const pairId = linked.body.data;
    await runEnded(millrace, pairId);
    await millrace.settled();
    const count = source.ids().length;
    const pair = (await call('GET', `/manage/admin/cc-pair/${pairId}`)).body;
    expect(pair).toMatchObject({
      name: 'Whole',
      status: 'ACTIVE',
      access_type: 'PUBLIC',
      num_docs_indexed: count,
      docs: { indexed: count, pending: 0, failed: 0 },
      number_of_index_attempts: 1,
      last_index_attempt_status: 'success',
      indexing: false,
      connector: {
        source: 'tracker',
        access_type: 'PUBLIC',
        connector_specific_config: source.settings,
      },
    });
    const { items, total_items } = (
      await call('GET', `/manage/admin/cc-pair/${pairId}/index-attempts`)
    ).body;
    expect(total_items).toBe(1);
    const [run] = items;
    expect(run).toMatchObject({ status: 'success', fetched: count, failed: 0, error_count: 0 });
    expect(run.accepted + run.unchanged + run.skipped + run.failed).toBe(run.fetched);
    const one = await call('GET', `/manage/admin/cc-pair/${pairId}/index-attempts/${run.id}`);
    expect(one.body).toEqual(run);
    const synced = (await call('GET', `/manage/admin/cc-pair/${pairId}/get-docs-sync-status`)).body;
    expect(synced.map((document: { doc_id: string }) => document.doc_id).toSorted()).toEqual(
      source.ids().toSorted(),
    );
  });

  it('may use the spelling of existing clients and is echoed as sent', async () => {
    const { tracker_base_url, ...rest } = source.settings;
    const config = { ...rest, jira_base_url: tracker_base_url };
    const { id } = (
      await create(
        tracker('Jira', {
          source: 'jira',
          access_type: 'private',
          connector_specific_config: config,
        }),
      )
    ).body;
    const credential = await credentialFor(source.credential, 'jira');
    const linked = await call('PUT', `/manage/connector/${id}/credential/${credential}`, {
      name: 'Jira of ours',
      access_type: 'public',
      groups: [],
      processing_mode: 'REGULAR',
    });
    expect(linked.body.success).toBe(true);
    const [pair] = await pairsNamed('Jira of ours');
    expect(pair).toMatchObject({
      access_type: 'public',
      connector: {
        source: 'jira',
        access_type: 'private',
        connector_specific_config: config,
        credential_ids: [credential],
      },
    });
    const grouped = await call('POST', '/manage/admin/connector/indexing-status', {
      source: 'tracker',
      name_filter: 'of ours',
    });
    expect(grouped.body).toMatchObject([{ source: 'jira', summary: { total_connectors: 1 } }]);
    await runEnded(millrace, linked.body.data);
  });

  it('cannot be deleted or change its kind, and is deleted with its pair and its documents', async () => {
    await using own = await startFixture();
    const { connectorId, credentialId, pairId } = await linkTracker(millrace, {
      ...own,
      name: 'Doomed',
    });
    const path = `/manage/admin/connector/${connectorId}`;
    expect((await call('DELETE', path)).body.error_code).toBe('CONFLICT');
    const other = tracker('Doomed', { source: 'slack', connector_specific_config: {} });
    expect((await call('PATCH', path, other)).body.detail).toContain('body.source');
    expect((await call('DELETE', `/manage/credential/${credentialId}`)).status).toBe(400);
    const ids = own.ids().map((id) => encodeURIComponent(id));
    expect((await call('GET', `/service-api/ingestion/${ids[0]}`)).status).toBe(200);

    const asked = { connector_id: connectorId, credential_id: credentialId };
    const deleted = await call('POST', '/manage/admin/deletion-attempt', asked);
    expect([deleted.status, deleted.text]).toEqual([200, 'null']);
    await until(async () => (await call('GET', `/manage/admin/cc-pair/${pairId}`)).status === 404);
    await millrace.settled();
    for (const id of ids) {
      expect((await call('GET', `/service-api/ingestion/${id}`)).status).toBe(404);
    }
    expect((await call('GET', `/manage/connector/${connectorId}`)).status).toBe(404);
    expect((await call('DELETE', path)).body).toMatchObject({ success: true, data: connectorId });
    expect((await call('POST', '/manage/admin/deletion-attempt', asked)).status).toBe(404);
  });

  it("cannot be redirected while another user's private credential is linked to it", async () => {
    const { connectorId, credentialId } = await linkTracker(millrace, {
      ...source,
      name: 'Shared',
    });
    const { db } = millrace.services;
    const colleague = await insertUser(db, (await ownWorkspace()) ?? '');
    await sql`update credential set admin_public = false, created_by = ${colleague}
      where id = ${credentialId}`.execute(db);
    const path = `/manage/admin/connector/${connectorId}`;
    const elsewhere = { ...source.settings, tracker_base_url: 'https://elsewhere.test' };
    const moved = await call('PATCH', path, trackerRequest('Shared', elsewhere));
    expect([moved.status, moved.body.error_code]).toEqual([403, 'UNAUTHORIZED']);
    const slower = await call('PATCH', path, tracker('Shared', { refresh_freq: 7_200 }));
    expect([slower.status, slower.body.refresh_freq]).toEqual([200, 7_200]);
  });

  it('shows failures until they are resolved', async () => {
    const { pairId } = await linkTracker(millrace, { ...source, name: 'Failing' });
    const path = `/manage/admin/cc-pair/${pairId}/errors`;
    await sql`insert into index_attempt_error (workspace_id, cc_pair_id, index_attempt_id, stage,
        document_id, message, is_resolved)
      select workspace_id, cc_pair_id, id, 'fetch', 'doc-' || n, 'broken', n > 12
      from index_attempt, generate_series(1, 15) n where cc_pair_id = ${pairId}`.execute(
      millrace.services.db,
    );
    const open = (await call('GET', path)).body;
    expect([open.total_items, open.items.length]).toEqual([12, 10]);
    const second = (await call('GET', `${path}?page_num=1`)).body;
    expect([second.total_items, second.items.length]).toEqual([12, 2]);
    const all = (await call('GET', `${path}?include_resolved=true&page_size=100`)).body;
    expect(all.items.map((one: { document_id: string }) => one.document_id)).toEqual(
      Array.from({ length: 15 }, (_, index) => `doc-${15 - index}`),
    );
    expect((await call('GET', `${path}?page_size=101`)).status).toBe(400);
  });
});
