import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { writePostings } from '#src/documents/write-postings.ts';
import { readPassages } from '#src/documents/search/read-passages.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import type { DocumentId, UserId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const SEARCHER = '00000000-0000-4000-8000-000000000009' as UserId;
const TEXTS: Record<string, string[]> = {
  removal: ['Removal of maps: choose the bin.'],
  lanterns: [
    'The lantern of the quay is lit at dusk.',
    'Oil is kept in the shed.',
    'Wicks burn for a week.',
  ],
};

let stage: TestServices;

beforeAll(async () => {
  stage = await openTestServices();
  const { services, workspaceId } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  for (const [id, texts] of Object.entries(TEXTS)) {
    const sections = texts.map((text) => ({ text, link: `https://kb.example/${text.length}` }));
    const item = { document: { id, semantic_identifier: id, source: 'file', sections } };
    await services.documentAcceptor.accept(
      toIncomingDocument(ingestionItemSchema.parse(item), context),
    );
  }
  const { rows } = await sql<{ id: DocumentId }>`select id from document`.execute(services.db);
  await indexDocuments(
    services,
    rows.map(({ id }) => id),
    new AbortController().signal,
  );
});
afterAll(() => stage[Symbol.asyncDispose]());

const besides = new Map([[stemWord('removal'), 0.5]]);

it('a search finds words that it was given besides the query, and only then', async () => {
  const { services, workspaceId } = stage;
  const input = {
    workspaceId,
    userId: SEARCHER,
    query: 'chuck',
    filters: NO_FILTERS,
    limit: 10,
    signal: new AbortController().signal,
    hybridAlpha: 0,
  };
  const found = async (more: object) =>
    (await searchDocuments(services, { ...input, ...more })).map(({ document_id }) => document_id);
  expect(await found({})).toEqual([]);
  expect(await found({ besides })).toEqual(['removal']);
});

it('the passages of a document are those that match, and its first one', async () => {
  const { services, workspaceId } = stage;
  const { further } = await readPassages(services.db, {
    workspaceId,
    query: 'wicks',
    documentIds: ['lanterns'],
    perDocument: 1,
  });
  expect(further.map(({ chunk_ind }) => chunk_ind)).toEqual([0, 2]);
});

it('the passages of a document that is hidden while they are chosen are not shown', async () => {
  const { services, workspaceId } = stage;
  const { db } = services;
  const hide = (hidden: boolean) =>
    sql`update document set hidden = ${hidden} where external_id = 'lanterns'`.execute(db);
  const slow = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const [row] = result.rows;
      if (row && 'is_loose' in row) await hide(true);
      return result;
    },
  });
  const wanted = { workspaceId, query: 'wicks', documentIds: ['lanterns'], perDocument: 1 };
  expect((await readPassages(slow, wanted)).further).toEqual([]);
  await hide(false);
  expect((await readPassages(slow, wanted)).further).toEqual([]);
  await hide(false);
  expect((await readPassages(db, wanted)).further).toHaveLength(2);
});

it('a passage that is in a segment of before, too, counts by its better score', async () => {
  const { services, workspaceId } = stage;
  const { db } = services;
  const { rows } = await sql<{ id: number }>`
    select c.id from chunk c join document d on d.id = c.document_id
    where d.external_id = 'lanterns' and c.ordinal = 1`.execute(db);
  const oil = termId(stemWord('oil'), workspaceSalt(workspaceId));
  await db.transaction().execute((trx) =>
    writePostings(trx, [
      {
        id: rows[0]?.id ?? 0,
        workspaceId,
        termIds: Int32Array.of(oil, oil + 1),
        termCounts: Uint32Array.of(1, 200),
      },
    ]),
  );
  const { further } = await readPassages(db, {
    workspaceId,
    query: 'oil shed wicks',
    documentIds: ['lanterns'],
    perDocument: 1,
  });
  expect(further.map(({ chunk_ind }) => chunk_ind)).toEqual([0, 1]);
});

it('passages match by the words besides those of the query, too', async () => {
  const { services, workspaceId } = stage;
  const read = (more: object) =>
    readPassages(services.db, {
      workspaceId,
      query: 'chuck',
      documentIds: ['lanterns'],
      perDocument: 1,
      ...more,
    });
  expect((await read({ besides: new Map([['oil', 0.5]]) })).further).toHaveLength(2);
});
