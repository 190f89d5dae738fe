// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { mergePostings } from '#src/documents/merge-postings.ts';
import { dropOlderSegments, renewTerms } from '#src/documents/renew-terms.ts';
import { renewTitles } from '#src/documents/renew-titles.ts';
import { searchPage } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import type { DocumentId, UserId } from '#src/ids.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';
import { writeOlderTerms } from '#test/support/write-older-terms.ts';

const SEARCHER = '00000000-0000-4000-8000-000000000009' as UserId;
const DOCUMENTS = 12;
const { signal } = new AbortController();

let stage: TestServices;
let made: unknown[];

beforeAll(async () => {
  stage = await openTestServices();
  const { services, workspaceId } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const item = {
      document: {
        id: `n-${n}`,
        semantic_identifier: `Größe ${n}`,
        source: 'file',
        metadata: { stadt: 'Łódź' },
        sections: [{ text: `The café of quay${n} runs 2.14.${n}, in C++ and in C.` }],
      },
    };
    await services.documentAcceptor.accept(
      toIncomingDocument(ingestionItemSchema.parse(item), context),
    );
    const { rows } = await sql<{ id: DocumentId }>`
      select id from document where status = 'accepted'`.execute(services.db);
    await indexDocuments(
      services,
      rows.map(({ id }) => id),
      signal,
    );
  }
  made = await termRows();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => writeOlderTerms(stage.services.db));

async function termRows(): Promise<unknown[]> {
  const { rows } = await sql`
    select chunk_id, terms, frequencies, weights::text as weights, terms_version, in_postings
    from chunk_terms order by chunk_id`.execute(stage.services.db);
  return rows;
}

async function find(query: string): Promise<string[]> {
  const { hits } = await searchPage(stage.services, {
    workspaceId: stage.workspaceId,
    userId: SEARCHER,
    query,
    filters: NO_FILTERS,
    limit: 100,
    signal,
    offset: 0,
    hasOperators: true,
    recencyBias: null,
    hybridAlpha: 0,
    collapses: false,
    includesHidden: false,
    highlights: false,
    facets: false,
    explains: false,
  });
  return hits.map(({ hit }) => hit.document_id).toSorted();
}

/** Ids of chunks that word search gives, twice when it gives one twice. */
const all = Array.from({ length: DOCUMENTS }, (_, n) => `n-${n}`).toSorted();

it('rows of an earlier version become those that indexing makes', async () => {
  const { db } = stage.services;
  expect(await find('cafe')).toEqual([]);
  expect(await find('"2.14.3"')).toEqual(['n-3']);
  expect(await renewTerms(db)).toBe(DOCUMENTS);
  expect(await renewTerms(db)).toBe(0);
  expect(await termRows()).toEqual(made);
  for (const query of ['cafe', 'grosse', 'lodz', '"C++"', 'café']) {
    expect(await find(query)).toEqual(all);
  }
  expect(await find('title:grosse')).toEqual([]);
  expect(await renewTitles(db)).toBe(DOCUMENTS);
  expect(await renewTitles(db)).toBe(0);
  expect(await find('title:grosse')).toEqual(all);
  while (await dropOlderSegments(db));
  expect(await find('cafe quay7')).toEqual(all);
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
});

it('a chunk that is in segments of both versions is found once, also while they are merged', async () => {
  const { db } = stage.services;
  await renewTerms(db);
  expect(await find('café quay3')).toEqual(all);
  while (await mergePostings(db, (work) => work(), signal));
  expect(await find('café quay3')).toEqual(all);
  while (await dropOlderSegments(db));
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
});

it('two workers at once renew each row once', async () => {
  const { db } = stage.services;
  await Promise.all([renewTerms(db), renewTerms(db)]);
  while ((await renewTerms(db)) > 0);
  await Promise.all([dropOlderSegments(db), dropOlderSegments(db)]);
  while (await dropOlderSegments(db));
  expect(await termRows()).toEqual(made);
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
});

it('a newer segment that the version before merged into one of its own is not lost', async () => {
  const { db } = stage.services;
  await renewTerms(db);
  // The version before does not know of versions: what it writes has the default.
  await sql`delete from posting_segment where terms_version = 0`.execute(db);
  await sql`update posting_segment set terms_version = 0`.execute(db);
  expect(await dropOlderSegments(db)).toBe(true);
  expect(await find('cafe')).toEqual(all);
  expect(await renewTerms(db)).toBe(DOCUMENTS);
  while (await dropOlderSegments(db));
  expect(await find('cafe')).toEqual(all);
  expect(await termRows()).toEqual(made);
  expect(await faultsOf(db)).toEqual(NO_FAULTS);
});

it('weights of another formula are made again from the text', async () => {
  const { db } = stage.services;
  await sql`update chunk_terms set weights = (select '{' || string_agg(id || ':0.77', ',') || '}/536870912'
    from unnest(terms) as id)::sparsevec`.execute(db);
  await renewTerms(db);
  expect(await termRows()).toEqual(made);
});
