import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropOlderSegments, renewTerms } from '#src/documents/renew-terms.ts';
import { restoreTexts } from '#src/documents/texts-in-chunks.ts';
import { parseConfig } from '#src/platform/config.ts';
import { overPglite } from '#src/platform/database.ts';
import { openPglite } from '#src/platform/pglite.ts';
import { startMillrace } from '#src/start-millrace.ts';
import { type ApiClient, createApiClient } from '#test/support/api-client.ts';
import { migrateTo } from '#test/support/migrate-to.ts';
import { asPushed, CORPUS } from '#test/support/search-corpus.ts';
import { openTestEnvironment, type TestEnvironment } from '#test/support/test-environment.ts';
import { until } from '#test/support/until.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';
import { writeHalfvecs } from '#test/support/write-halfvecs.ts';
import { writeOlderTerms } from '#test/support/write-older-terms.ts';
import { writeWeights } from '#test/support/write-older-terms.ts';

/** The last migration before titles, curation and the words for the speller, and the last before numbered terms. */
const BEFORE = ['0019-operations', '0027-postings'];

/** Two starts, a migration from nothing and two rounds of background work. */
const TIMEOUT_MS = 240_000;
/** What only the terms of this version tell. */
const NEW_WORDS: readonly [string, string][] = [
  ['lodz', 'pl'],
  ['Versicherung', 'de-compound'],
  ['"conge annuel"', 'fr'],
  ['2.14.3', 'v2.14.3'],
  ['3.14.2', 'v3.14.2'],
  ['C++ C++20', 'lang-cpp20'],
  ['C', 'lang-c'],
  ['🎉', 'party'],
];

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

let now: TestEnvironment;

beforeAll(async () => {
  now = opened.use(await openEmbedded());
  await using started = await start(now);
  const documents = CORPUS.map((one) => ({ document: asPushed(one) }));
  await started.client.call('POST', '/service-api/ingestion/batch', { documents });
  await until(async () => {
    const { body } = await started.client.call('GET', '/service-api/ingestion/stats');
    return body.counts.indexed === CORPUS.length;
  });
  await started[Symbol.asyncDispose]();
  const pglite = await openPglite(databaseOf(now));
  await writeOlderTerms(overPglite(pglite).db);
  await pglite.close();
}, TIMEOUT_MS);

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

function databaseOf({ settings }: TestEnvironment): string {
  return path.join(settings['DATA_DIR'] ?? '', 'pglite');
}

/** Writes the rows of `now` into an empty database with the schema of an earlier version. */
async function copyIndex(older: TestEnvironment, migration: string): Promise<void> {
  await using databases = new AsyncDisposableStack();
  const open = async (environment: TestEnvironment) => {
    const pglite = await openPglite(databaseOf(environment));
    databases.defer(() => pglite.close());
    return pglite;
  };
  const from = await open(now);
  await writeWeights(overPglite(from).db);
  await writeHalfvecs(overPglite(from).db);
  await overPglite(from).db.transaction().execute(restoreTexts);
  await from.exec(
    `update document d set sections = t.sections from document_text t where t.document_id = d.id`,
  );
  // Without the template that tests start from: that is of this version.
  await rm(databaseOf(older), { recursive: true, force: true });
  const to = await open(older);
  await migrateTo(overPglite(to).db, migration);
  await to.exec('set session_replication_role = replica');
  const tables = await columnsOf(to);
  expect(tables.get('chunk_terms')).not.toContain('terms_version');
  for (const [table, columns] of tables) await copyTable(from, to, table, columns);
  // Facts that an earlier version did not note.
  await to.exec(`delete from deployment_fact where name = 'compounds_gathered'`);
  if (!tables.has('word_bucket')) {
    await to.exec(`delete from deployment_fact where name in ('words_gathered', 'titles_to_fill')`);
  }
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

describe.each(BEFORE)('an index of the version that ended with %s', (migration) => {
  it(
    'is searched from the first moment on, and gets its words and titles',
    async () => {
      const older = opened.use(await openEmbedded());
      await copyIndex(older, migration);
      {
        await using started = await start(older);
        await expectServed(started.client);
      }
      await using databases = new AsyncDisposableStack();
      const pglite = await openPglite(databaseOf(older));
      databases.defer(() => pglite.close());
      const { db } = overPglite(pglite);
      expect(await renewTerms(db)).toBe(0);
      while (await dropOlderSegments(db));
      expect(await faultsOf(db)).toEqual(NO_FAULTS);
    },
    TIMEOUT_MS,
  );
});

async function expectServed(client: ApiClient): Promise<void> {
  const search = async (query: string, options: object = {}) => {
    const { status, body } = await client.call('POST', '/search', { query, ...options });
    expect(status).toBe(200);
    const ids: string[] = body.results.map((one: { document_id: string }) => one.document_id);
    return { first: ids[0], corrected: body.corrected_query };
  };
  const expectOldWords = async () => {
    expect(await search('zeppelin report')).toMatchObject({ first: 'quarterly' });
    expect(await search('"VPN client" settings')).toMatchObject({ first: 'vpn-reset' });
    expect(await search('"ERR_CONN_4022"')).toMatchObject({ first: 'errors' });
    expect(await search('VPN reset -legacy')).toMatchObject({ first: 'vpn-reset' });
    expect(await search('"3.11.2"')).toMatchObject({ first: 'v3.11.2' });
    expect(await search('"written in C++"')).toMatchObject({ first: 'lang-cpp' });
  };
  await expectOldWords();
  const byVectors = await search('zeppelin report', { hybrid_alpha: 1 });
  expect(byVectors).toMatchObject({ first: 'quarterly' });
  // What only the terms of this version tell, without help from the vectors.
  const words = { hybrid_alpha: 0 };
  for (const [query, id] of NEW_WORDS) {
    await until(async () => {
      await expectOldWords();
      return (await search(query, words)).first === id;
    });
  }
  await until(async () => (await search('kuberntes')).corrected === 'kubernetes');
  await until(async () => (await search('title:lodz')).first === 'pl');
  await until(async () => (await search('title:zeppelin')).first === 'quarterly');
  await until(async () => {
    const { body } = await client.call('POST', '/search/suggest', { query: 'quarterly ze' });
    return body.suggestions.length === 2;
  });
  expect(await search('kuberntes')).toEqual({ first: 'kubernetes', corrected: 'kubernetes' });
  await client.call('PATCH', '/service-api/ingestion/quarterly', { hidden: true });
  expect((await search('zeppelin report')).first).not.toBe('quarterly');
}
