// @module-tag smoke
// @module-tag database
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { countTermIds, workspaceSalt } from '#src/documents/bm25.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { searchLooseRows } from '#src/documents/search/search-loose-rows.ts';
import { readTermCounts } from '#src/documents/term-counts.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { DocumentId, UserId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { writeWeights } from '#test/support/write-older-terms.ts';

const DOCUMENTS = 300;
const userId = '00000000-0000-4000-8000-000000000009' as UserId;
const NO_FILTERS = { source_type: [], document_set: [], time_cutoff: null, tags: [] };

let stage: TestServices;

beforeAll(async () => {
  stage = await openTestServices();
  const { services, workspaceId } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, n) =>
      services.documentAcceptor.accept(
        toIncomingDocument(
          ingestionItemSchema.parse({
            document: {
              id: `words-${n}`,
              semantic_identifier: `Words ${n}`,
              source: n % 3 === 0 ? 'web' : 'file',
              // Every chunk contains "harbour", two of three "lantern", and each number is in one chunk.
              sections: [
                { text: `The harbour of quay${n}${n % 3 === 1 ? '' : ' with its lantern'}.` },
              ],
            },
          }),
          context,
        ),
      ),
    ),
  );
  const { rows } = await sql<{ id: DocumentId }>`select id from document`.execute(services.db);
  const ids = rows.map(({ id }) => id);
  await indexDocuments(services, ids, new AbortController().signal);
});

/** As the version before the first postings left its rows. */
async function dropPostings(): Promise<void> {
  const { db } = stage.services;
  await writeWeights(db);
  await sql`truncate posting_segment, posting_bucket`.execute(db);
  await sql`update chunk_terms set in_postings = false`.execute(db);
}
afterAll(() => stage[Symbol.asyncDispose]());

async function search(question: string, maxScored: number, filters = {}) {
  const { services, workspaceId } = stage;
  const terms = countTermIds(tokenize(question), workspaceSalt(workspaceId));
  const counts = await readTermCounts(services.db, workspaceId, [...terms.keys()]);
  const scope = {
    workspaceId,
    userId: null,
    filters: { ...NO_FILTERS, ...filters },
    conditions: [],
    includesHidden: false,
    limit: 100,
  };
  const found = await searchLooseRows(services.db, scope, terms, counts, maxScored);
  const { rows } = await sql<{ id: number; external_id: string }>`
    select c.id, d.external_id from chunk c join document d on d.id = c.document_id
    where c.id = any(${found.map(({ key }) => key)}::bigint[])`.execute(services.db);
  const names = new Map(rows.map((row) => [row.id, row.external_id]));
  return found.map(({ key, score }) => ({ id: names.get(key), score }));
}

describe('a query of common words, where nothing has postings', () => {
  beforeAll(dropPostings);

  it('scores no more chunks than the limit', async () => {
    expect(await search('harbour', 40)).toHaveLength(40);
    expect(await search('harbour', 1_000)).toHaveLength(100);
  });

  it('scores the chunks that contain all of the words, which are the best', async () => {
    const bounded = await search('harbour lantern', 40);
    const exact = await search('harbour lantern', 1_000);
    expect(bounded).toHaveLength(40);
    expect(bounded.map(({ score }) => score)).toEqual(exact.slice(0, 40).map(({ score }) => score));
  });

  it('ranks the chunk with its one rare word first, and returns each chunk once', async () => {
    const found = await search('harbour quay17 lantern', 40);
    expect(found[0]?.id).toBe('words-17');
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    expect(found.length).toBeGreaterThanOrEqual(40);
  });

  it('returns the chunks that match the filters when its rare word is elsewhere', async () => {
    const found = await search('harbour quay17', 40, { source_type: ['web'] });
    expect(found).toHaveLength(40);
    expect(found.some(({ id }) => id === 'words-17')).toBe(false);
  });
});

describe('the order of results', () => {
  it('is the same whatever the limit', async () => {
    const { services, workspaceId } = stage;
    const find = async (limit: number) => {
      const question = { workspaceId, userId, query: 'harbour lantern quay1', filters: NO_FILTERS };
      const signal = new AbortController().signal;
      const hits = await searchDocuments(services, { ...question, limit, signal });
      return hits.map(({ document_id, score }) => ({ document_id, score }));
    };
    const long = await find(100);
    expect(long).toHaveLength(100);
    for (const limit of [1, 10, 50]) expect(await find(limit)).toEqual(long.slice(0, limit));
    expect(long.map(({ score }) => score)).toEqual(
      long.map(({ score }) => score).toSorted((a, b) => (b ?? 0) - (a ?? 0)),
    );
  });
});
