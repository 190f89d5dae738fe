import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';

/** One chunk each. */
const SECTIONS = 1_000;
const never = new AbortController().signal;

let stage: TestServices;
let services: Services;
let workspaceId: WorkspaceId;

beforeAll(async () => {
  stage = await openTestServices();
  ({ services } = stage);
  const made = await createWorkspace(services.db, { name: 'Large', planTier: 'Free' });
  ({ workspaceId } = made);
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const table of [
    'chunk_vector',
    'chunk_planes',
    'chunk_terms',
    'term_count',
    'term_delta',
    'document',
  ]) {
    await sql`delete from ${sql.table(table)}`.execute(services.db);
  }
});

async function accept(id: string, texts: readonly string[]): Promise<DocumentId[]> {
  const document = { id, semantic_identifier: id, sections: texts.map((text) => ({ text })) };
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  const item = toIncomingDocument(ingestionItemSchema.parse({ document }), context);
  await services.documentAcceptor.accept(item);
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where workspace_id = ${workspaceId} and external_id = ${id}`.execute(
    services.db,
  );
  return rows.map((row) => row.id);
}

const sections = (round: string): string[] =>
  Array.from({ length: SECTIONS }, (_, n) => `Section ${n} of ${round}.`);

interface StoredChunk {
  id: number;
  ordinal: number;
  text: string;
  xmin: string;
}

async function chunks(): Promise<StoredChunk[]> {
  const { rows } = await sql<StoredChunk>`
    select id, ordinal, text, xmin::text as xmin from chunk order by ordinal, id`.execute(
    services.db,
  );
  return rows;
}

/** Fails every chunk insert that would leave more than `count` chunks in the table. */
async function allowChunks(count: number | null): Promise<void> {
  await sql`drop trigger if exists full_house on chunk`.execute(services.db);
  if (count === null) return;
  await sql`create or replace function full_house() returns trigger language plpgsql as ${sql.lit(
    `begin if (select count(*) from chunk) > ${count} then raise exception 'No room.'; end if; return null; end`,
  )}`.execute(services.db);
  await sql`create trigger full_house after insert on chunk
    for each statement execute function full_house()`.execute(services.db);
}

it('a document with many chunks is written in several transactions', async () => {
  await indexDocuments(services, await accept('large', sections('one')), never);
  const written = await chunks();
  expect(written.map(({ ordinal }) => ordinal)).toEqual([...written.keys()]);
  expect(written).toHaveLength(SECTIONS);
  const perTransaction = [...Map.groupBy(written, ({ xmin }) => xmin).values()];
  expect(perTransaction.length).toBeGreaterThan(2);
  expect(Math.max(...perTransaction.map(({ length }) => length))).toBeLessThanOrEqual(400);
  expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
});

it('an attempt that failed in the middle is continued where it stopped', async () => {
  const ids = await accept('large', sections('one'));
  await allowChunks(600);
  await indexDocuments(services, ids, never);
  const first = await chunks();
  expect(first.length).toBeGreaterThan(0);
  expect(first.length).toBeLessThan(600);
  expect((await faultsOf(services.db))['wronglyCountedTerms']).toEqual([]);
  await allowChunks(null);
  await sql`update document set next_attempt_at = null`.execute(services.db);
  await indexDocuments(services, ids, never);
  const all = await chunks();
  expect(all).toHaveLength(SECTIONS);
  // The same rows, not rewritten.
  expect(all.slice(0, first.length)).toEqual(first);
  expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
});

it('chunks of an unfinished attempt are removed when the document has changed meanwhile', async () => {
  const ids = await accept('large', sections('one'));
  await allowChunks(600);
  await indexDocuments(services, ids, never);
  await allowChunks(null);
  await accept('large', ['All that is left.']);
  await indexDocuments(services, ids, never);
  expect((await chunks()).map(({ text }) => text)).toEqual(['All that is left.']);
  expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
});

it('new text of a large document replaces the old one', async () => {
  const ids = await accept('large', sections('one'));
  await indexDocuments(services, ids, never);
  await accept('large', sections('two'));
  await indexDocuments(services, ids, never);
  expect((await chunks()).map(({ text }) => text)).toEqual(sections('two'));
  expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  const { rows } = await sql`select status, revision, chunk_count from document`.execute(
    services.db,
  );
  expect(rows).toEqual([{ status: 'indexed', revision: 2, chunk_count: SECTIONS }]);
});

it('a chunk that keeps its position is not rewritten', async () => {
  const ids = await accept('large', sections('one'));
  await indexDocuments(services, ids, never);
  const before = await chunks();
  await accept('large', sections('one').with(-1, 'Another end.'));
  await indexDocuments(services, ids, never);
  const after = await chunks();
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after.at(-1)?.text).toBe('Another end.');
});

it('a job that removes a document also takes an indexing turn, because thousands of such jobs may be queued first', async () => {
  const doomed = await accept('doomed', ['Soon gone.']);
  await sql`update document set status = 'deleting'`.execute(services.db);
  await accept('newcomer', ['About the newcomer.']);
  await indexDocuments(services, doomed, never);
  const { rows } = await sql`select external_id, status from document`.execute(services.db);
  expect(rows).toEqual([{ external_id: 'newcomer', status: 'indexed' }]);
});
