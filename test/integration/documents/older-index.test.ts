// @module-tag database
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '#src/platform/config.ts';
import { overPglite } from '#src/platform/database.ts';
import { openPglite } from '#src/platform/pglite.ts';
import { startMillrace } from '#src/start-millrace.ts';
import { type ApiClient, createApiClient } from '#test/support/api-client.ts';
import { migrateTo } from '#test/support/migrate-to.ts';
import { asPushed, CORPUS } from '#test/support/search-corpus.ts';
import { openTestEnvironment, type TestEnvironment } from '#test/support/test-environment.ts';
import { until } from '#test/support/until.ts';

/** The last migration before titles, curation and the words for the speller. */
const BEFORE = '0019-operations';

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

let before: TestEnvironment;

beforeAll(async () => {
  await using now = await openEmbedded();
  await using started = await start(now);
  const documents = CORPUS.map((one) => ({ document: asPushed(one) }));
  await started.client.call('POST', '/service-api/ingestion/batch', { documents });
  await until(async () => {
    const { body } = await started.client.call('GET', '/service-api/ingestion/stats');
    return body.counts.indexed === CORPUS.length;
  });
  await started[Symbol.asyncDispose]();
  before = opened.use(await openEmbedded());
  await copyIndex(now, before);
});

/** Whatever size is tested: an embedded Millrace, because the schema of the version before is made from nothing. */
function openEmbedded(): Promise<TestEnvironment> {
  return openTestEnvironment({ DATABASE_URL: '', REDIS_URL: '', ENCRYPTION_KEY });
}

interface Started extends AsyncDisposable {
  client: ApiClient;
}

async function start({ settings, adminKey }: TestEnvironment): Promise<Started> {
  const { url, phases } = await startMillrace(parseConfig(settings));
  let isOver = false;
  return {
    client: createApiClient(url, adminKey),
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      isOver = true;
      for (const phase of phases) await phase.run();
    },
  };
}

/** Writes the rows of `now` into an empty database with the schema of the version before. */
async function copyIndex(now: TestEnvironment, older: TestEnvironment): Promise<void> {
  await using databases = new AsyncDisposableStack();
  const databaseOf = ({ settings }: TestEnvironment) =>
    path.join(settings['DATA_DIR'] ?? '', 'pglite');
  const open = async (environment: TestEnvironment) => {
    const pglite = await openPglite(databaseOf(environment));
    databases.defer(() => pglite.close());
    return pglite;
  };
  const from = await open(now);
  // Without the template that tests start from: that is of this version.
  await rm(databaseOf(older), { recursive: true, force: true });
  const to = await open(older);
  await migrateTo(overPglite(to).db, BEFORE);
  await to.exec('set session_replication_role = replica');
  const tables = await columnsOf(to);
  expect(tables.get('document')).not.toContain('boost');
  expect(tables.has('word_bucket')).toBe(false);
  for (const [table, columns] of tables) await copyTable(from, to, table, columns);
  // Facts that only this version notes.
  await to.exec(`delete from deployment_fact where name in ('words_gathered', 'titles_to_fill')`);
  await to.exec(`select setval('chunk_id', (select max(id) from chunk))`);
}

async function columnsOf(pglite: PGlite): Promise<Map<string, string>> {
  const { rows } = await pglite.query<{ table_name: string; columns: string }>(`
    select table_name, string_agg(quote_ident(column_name), ', ') as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
      and table_name not like 'kysely%'
    group by table_name`);
  return new Map(rows.map((row) => [row.table_name, row.columns]));
}

async function copyTable(from: PGlite, to: PGlite, table: string, columns: string): Promise<void> {
  const { blob } = await from.query(`copy (select ${columns} from ${table}) to '/dev/blob'`);
  if (!blob || blob.size === 0) return;
  await to.exec(`delete from ${table}`);
  await to.query(`copy ${table} (${columns}) from '/dev/blob'`, [], { blob });
}

it('an index of the version before is searched from the first moment on, and gets its words and titles', async () => {
  await using started = await start(before);
  const { client } = started;
  const search = async (query: string) => {
    const { status, body } = await client.call('POST', '/search', { query });
    expect(status).toBe(200);
    const ids: string[] = body.results.map((one: { document_id: string }) => one.document_id);
    return { first: ids[0], corrected: body.corrected_query };
  };
  expect(await search('zeppelin report')).toMatchObject({ first: 'quarterly' });
  expect(await search('"VPN client" settings')).toMatchObject({ first: 'vpn-reset' });
  expect(await search('ERR_CONN_4022')).toMatchObject({ first: 'errors' });
  expect(await search('VPN reset -legacy')).toMatchObject({ first: 'vpn-reset' });
  await until(async () => (await search('kuberntes')).corrected === 'kubernetes');
  await until(async () => (await search('title:zeppelin')).first === 'quarterly');
  await until(async () => {
    const { body } = await client.call('POST', '/search/suggest', { query: 'quarterly ze' });
    return body.suggestions.length === 2;
  });
  expect(await search('kuberntes')).toEqual({ first: 'kubernetes', corrected: 'kubernetes' });
  await client.call('PATCH', '/service-api/ingestion/quarterly', { hidden: true });
  expect((await search('zeppelin report')).first).not.toBe('quarterly');
});
