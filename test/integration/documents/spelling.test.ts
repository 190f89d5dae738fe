import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkWords, gatherWords } from '#src/documents/gather-words.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { searchPage } from '#src/documents/search/search-documents.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { deleteMarkedDocuments } from '#src/documents/delete-documents.ts';
import type { DocumentId, UserId } from '#src/ids.ts';
import { addWords } from '#src/documents/word-buckets.ts';
import { onRows } from '#test/support/on-rows.ts';
import { until } from '#test/support/until.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const SEARCHER = '00000000-0000-4000-8000-000000000009' as UserId;
const TEXTS = {
  harbours: 'The harbour of Esbjerg has a lighthouse and a fishmonger.',
  gardens: 'Rhododendron and hydrangea grow in the garden.',
  secrets: 'Codename moonflower is known to nobody, nor is hydrangee.',
};

let stage: TestServices;

beforeAll(async () => {
  stage = await openTestServices();
  const { services, workspaceId } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  for (const [id, text] of Object.entries(TEXTS)) {
    const item = {
      document: { id, semantic_identifier: id, source: 'file', sections: [{ text }] },
    };
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
  // Nothing is gathered while a transaction from before the index runs, be it of another database of the server.
  await until(async () => (await gatherWords(services.db)) === 3);
});
afterAll(() => stage[Symbol.asyncDispose]());

async function search(query: string) {
  const { services, workspaceId } = stage;
  const { hits, correctedQuery } = await searchPage(services, {
    workspaceId,
    userId: SEARCHER,
    query,
    filters: NO_FILTERS,
    limit: 10,
    signal: new AbortController().signal,
    offset: 0,
    hasOperators: true,
    recencyBias: null,
    hybridAlpha: null,
    collapses: true,
    includesHidden: false,
    highlights: true,
    facets: false,
    explains: false,
  });
  return { first: hits[0]?.hit.document_id, correctedQuery };
}

it.each([
  ['lighthuose', 'lighthouse', 'harbours'],
  ['The Fishmongr, please', 'The fishmonger, please', 'harbours'],
  ['hydrnagae', 'hydrangea', 'gardens'],
  ['rohdodendron', 'rhododendron', 'gardens'],
  ['title:harbuors', 'title:harbours', 'harbours'],
  ['fish monger', 'fishmonger', 'harbours'],
  ['a fihsmonger with a light house', 'a fishmonger with a lighthouse', 'harbours'],
])('%s is searched as %s', async (query, correctedQuery, first) => {
  expect(await search(query)).toEqual({ first, correctedQuery });
});

it.each([
  ['a known word, in any inflection', 'lighthouses'],
  ['a word in quotes', '"lighthuose"'],
  ['a word of a title, by one that no title has', 'title:lighthuose'],
  ['an excluded word', 'harbour -lighthuose lighthuose'],
  ['a word that is too far away', 'lightouse-keeper'],
  ['a short word', 'gadr'],
  ['an identifier', 'lighthuose2'],
  ['a word in quotes that stands outside of them as well', '"lighthuose" lighthuose'],
  [
    'the same in a sentence',
    'what is the "lighthuose" that they call a lighthuose in the harbour of Esbjerg',
  ],
  ['a word that stands in a document, until that is private to others', 'hydrangee'],
])('%s is not corrected', async (_, query) => {
  expect((await search(query)).correctedQuery).toBeNull();
});

it('a word in quotes stays while others are corrected', async () => {
  expect((await search('"hydrnagea" lighthuose')).correctedQuery).toBe('"hydrnagea" lighthouse');
});

it.each([
  ['“hydrnagea” lighthuose', '"hydrnagea" lighthouse'],
  ['"esbjerg lighthuose', 'esbjerg lighthouse'],
])('%s is told to be %s', async (query, correctedQuery) => {
  expect((await search(query)).correctedQuery).toBe(correctedQuery);
});

it('a word that only chunks private to others have is neither suggested nor known', async () => {
  const { services, workspaceId } = stage;
  expect((await search('moonflowr')).correctedQuery).toBe('moonflower');
  const { rows } = await sql<{ id: number }>`
    insert into cc_pair (workspace_id, name, source, access_type)
    values (${workspaceId}, 'secret', 'file', 'private') returning id`.execute(services.db);
  await sql`delete from document_cc_pair
    where document_id = (select id from document where external_id = 'secrets')`.execute(
    services.db,
  );
  await sql`insert into document_cc_pair (document_id, cc_pair_id)
    select id, ${rows[0]?.id} from document where external_id = 'secrets'`.execute(services.db);
  expect((await search('moonflowr')).correctedQuery).toBeNull();
  expect(await search('hydrangee')).toEqual({ first: 'gardens', correctedQuery: 'hydrangea' });
});

it('the words of a backup are gathered on, whatever transactions the server before was at', async () => {
  const { services, workspaceId } = stage;
  const { rows } = await sql<{ value: { until: number; horizon: number } }>`
    select value from deployment_fact where name = 'compounds_gathered'`.execute(services.db);
  const halfway = { ...rows[0]?.value, until: 0, xid: '900000000000' };
  await sql`delete from word_bucket where workspace_id = ${workspaceId}`.execute(services.db);
  await sql`update deployment_fact set value = ${JSON.stringify(halfway)}::json
    where name = 'compounds_gathered'`.execute(services.db);
  await expect.poll(() => gatherWords(services.db)).toBe(3);
  expect((await search('lighthuose')).correctedQuery).toBe('lighthouse');
});

it('a word that left the index is not suggested, and leaves the table within a day', async () => {
  const { services } = stage;
  expect((await search('hydrangae')).correctedQuery).toBe('hydrangea');
  const { rows } = await sql<{ id: DocumentId }>`update document set status = 'deleting'
    where external_id = 'gardens' returning id`.execute(services.db);
  await deleteMarkedDocuments(
    services,
    rows.map(({ id }) => id),
  );
  expect((await search('hydrangae')).correctedQuery).toBeNull();
  const isStored = async () => {
    const { rows } = await sql`select 1 from word_bucket where 'hydrangea' = any(words)`.execute(
      services.db,
    );
    return rows.length > 0;
  };
  await checkWords(services.db);
  expect(await isStored()).toBe(true);
  await sql`update word_bucket set checked_at = now() - interval '2 days'
    where 'hydrangea' = any(words)`.execute(services.db);
  await checkWords(services.db);
  expect(await isStored()).toBe(false);
});

it('a word that comes back while its bucket is checked stays', async () => {
  const { services, workspaceId } = stage;
  const words = new Set(['quicksilver']);
  const add = () => services.db.transaction().execute((trx) => addWords(trx, workspaceId, words));
  await add();
  await sql`update word_bucket set checked_at = now() - interval '2 days'
    where 'quicksilver' = any(words)`.execute(services.db);
  const added: Promise<void>[] = [];
  // No chunk has the word yet: that is what the check has read when the word is gathered from a new chunk.
  const whenCounted = onRows(services.db, (rows) => {
    if (added.length === 0 && rows.some((row) => Object.hasOwn(row, 'chunks'))) added.push(add());
  });
  expect(await checkWords(whenCounted)).toBe(true);
  expect(added).toHaveLength(1);
  await Promise.all(added);
  const { rows } = await sql`select 1 from word_bucket where 'quicksilver' = any(words)`.execute(
    services.db,
  );
  expect(rows).toHaveLength(1);
});
