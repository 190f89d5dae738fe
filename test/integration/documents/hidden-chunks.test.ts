import { type KyselyPlugin, RawNode, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { findIndexedPage } from '#src/chat/search/find-indexed-page.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import { newestDocuments } from '#src/documents/search/newest-documents.ts';
import { readPassages } from '#src/documents/search/read-passages.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import { countTermIds, workspaceSalt } from '#src/documents/bm25.ts';
import type { FoundChunk } from '#src/documents/search/search-scope.ts';
import { searchVectors } from '#src/documents/search/search-vectors.ts';
import { searchWords } from '#src/documents/search/search-words.ts';
import { readTermCounts } from '#src/documents/term-counts.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import { createIndexTurns } from '#src/documents/index-turns.ts';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { faultsOf, NO_FAULTS } from '#test/support/whole-index.ts';

const PAGE = 'https://example.test/large';
/** One chunk each: three steps that add, one that shows them, and three that remove the old ones. */
const SECTIONS = 700;
const never = new AbortController().signal;

let stage: TestServices;
let services: Services;
let workspaceId: WorkspaceId;
const userId = '00000000-0000-4000-8000-000000000009' as UserId;

beforeAll(async () => {
  stage = await openTestServices();
  ({ services } = stage);
  const made = await createWorkspace(services.db, { name: 'Hidden', planTier: 'Free' });
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

const sections = (word: string, count = SECTIONS): string[] =>
  Array.from({ length: count }, (_, n) => `Passage ${n} about ${word}.`);

async function accept(texts: readonly string[]): Promise<DocumentId[]> {
  const document = {
    id: PAGE,
    semantic_identifier: 'Large',
    sections: texts.map((text) => ({ text })),
  };
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  const item = toIncomingDocument(ingestionItemSchema.parse({ document }), context);
  await services.documentAcceptor.accept(item);
  const { rows } = await sql<{ id: DocumentId }>`select id from document`.execute(services.db);
  return rows.map(({ id }) => id);
}

/** Every step starts by locking its documents; steps from `first` on fail. */
function failFromStep(first: number): KyselyPlugin {
  let steps = 0;
  return {
    transformQuery({ node }) {
      const text = RawNode.is(node) ? node.sqlFragments.join('') : '';
      if (text.includes('select id, revision from document')) {
        steps += 1;
        if (steps >= first) throw new Error('Cut off.');
      }
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
}

/** @returns whether indexing completed */
async function indexUntilStep(ids: DocumentId[], first: number): Promise<boolean> {
  const db = services.db.withPlugin(failFromStep(first));
  const indexTurns = createIndexTurns(services.db, 1);
  await indexDocuments({ ...services, db, indexTurns }, ids, never);
  await sql`update document set next_attempt_at = null, attempts = 0`.execute(services.db);
  const { rows } = await sql`select 1 from document where status = 'indexed'`.execute(services.db);
  return rows.length > 0;
}

/** What each reader of chunks shows for a one-word question. */
async function seen(word: string): Promise<Record<string, string[]>> {
  const { db, embedder } = services;
  const query = `passage ${word}`;
  const filters = NO_FILTERS;
  const hits = await searchDocuments(services, {
    workspaceId,
    userId,
    query,
    filters,
    limit: 5,
    signal: never,
  });
  const scope = {
    workspaceId,
    userId: null,
    filters,
    conditions: [],
    includesHidden: false,
    limit: 50,
  };
  const terms = countTermIds(tokenize(query), workspaceSalt(workspaceId));
  const counts = await readTermCounts(db, workspaceId, [...terms.keys()]);
  const vector = await embedder.embedQuery(query, () => 1, never);
  const documentIds = [PAGE];
  const passages = await readPassages(db, { workspaceId, query, documentIds, perDocument: 3 });
  const page = await findIndexedPage(db, { workspaceId, userId }, PAGE);
  const newest = await newestDocuments(db, {
    workspaceId,
    userId,
    filters,
    includesHidden: false,
    limit: 3,
  });
  return {
    search: hits.map(({ text }) => text),
    terms: await textsOf(await searchWords(db, scope, terms, counts, 5_000)),
    vectors: await textsOf(await searchVectors(services, scope, vector, counts.chunks)),
    passages: passages.further.map(({ text }) => text),
    page: page ? page.text.split('\n\n') : [],
    newest: newest.map(({ blurb }) => blurb),
  };
}

/** The texts found, whether visible or hidden. */
async function textsOf(found: readonly FoundChunk[]): Promise<string[]> {
  const ids = found.map(({ key }) => key);
  const { rows } = await sql<{ text: string }>`
    select text from chunk where id = any(${ids}::bigint[])`.execute(services.db);
  return rows.map(({ text }) => text);
}

/** Which of the words appear in any text that a reader shows, for any of the questions. */
async function wordsSeen(words: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const word of words) texts.push(...Object.values(await seen(word)).flat());
  return words.filter((word) => texts.some((text) => text.includes(word)));
}

describe('while a large document is written', () => {
  it('no part of a new document is visible, whichever step fails', async () => {
    const ids = await accept(sections('walnuts'));
    for (let step = 1; !(await indexUntilStep(ids, step)); step += 1) {
      const { rows } = await sql<{ chunks: number; hidden: boolean }>`
        select (select count(*)::int from chunk) as chunks, hidden_above is not null as hidden
        from document`.execute(services.db);
      const isShown = rows[0]?.chunks === SECTIONS && !rows[0].hidden;
      expect(await wordsSeen(['walnuts'])).toEqual(isShown ? ['walnuts'] : []);
      expect(step).toBeLessThan(20);
    }
    expect(await wordsSeen(['walnuts'])).toEqual(['walnuts']);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('only the old text is visible until the new one is complete, and then only the new one', async () => {
    await indexUntilStep(await accept(sections('walnuts')), Infinity);
    const ids = await accept(sections('peaches'));
    const history: string[] = [];
    let isDone = false;
    for (let step = 1; !isDone; step += 1) {
      isDone = await indexUntilStep(ids, step);
      history.push((await wordsSeen(['walnuts', 'peaches'])).join(' and '));
      expect(step).toBeLessThan(20);
    }
    expect([...new Set(history)]).toEqual(['walnuts', 'peaches']);
    expect(history.filter((word) => word === 'peaches').length).toBeGreaterThan(1);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('every reader of chunks sees the complete text', async () => {
    const shows = async (asked: string, word: string) =>
      Object.entries(await seen(asked)).flatMap(([reader, texts]) =>
        texts.some((text) => text.includes(word)) ? reader : [],
      );
    const searches = ['search', 'terms', 'vectors', 'passages', 'page'];
    await indexUntilStep(await accept(sections('walnuts')), Infinity);
    expect(await shows('walnuts', 'walnuts')).toEqual([...searches, 'newest']);
    const ids = await accept(sections('peaches'));
    await indexUntilStep(ids, 3);
    // Only indexed documents are among the newest.
    expect(await shows('peaches', 'walnuts')).toEqual(searches);
    expect(await shows('peaches', 'peaches')).toEqual([]);
    await indexUntilStep(ids, 3);
    expect(await shows('walnuts', 'walnuts')).toEqual([]);
    expect(await shows('walnuts', 'peaches')).toEqual(searches);
  });

  it('a document fully indexed by a worker of the previous version is visible', async () => {
    await indexUntilStep(await accept(sections('walnuts')), Infinity);
    await sql`update document set hidden_above = 0`.execute(services.db);
    expect(await wordsSeen(['walnuts'])).toEqual(['walnuts']);
  });

  it('nothing of a permanently failed attempt is visible', async () => {
    await indexUntilStep(await accept(sections('walnuts')), Infinity);
    const ids = await accept(sections('peaches'));
    await sql`update document set attempts = 7`.execute(services.db);
    await indexUntilStep(ids, 3);
    const { rows } = await sql`select status from document`.execute(services.db);
    expect(rows).toEqual([{ status: 'failed' }]);
    expect(await wordsSeen(['walnuts', 'peaches'])).toEqual(['walnuts']);
  });

  it('an edit replaces a text that was never completed', async () => {
    await indexUntilStep(await accept(sections('walnuts')), Infinity);
    await indexUntilStep(await accept(sections('peaches')), 3);
    const ids = await accept(sections('cherries'));
    const words = ['walnuts', 'peaches', 'cherries'];
    await indexUntilStep(ids, 3);
    expect(await wordsSeen(words)).toEqual(['walnuts']);
    await indexUntilStep(ids, Infinity);
    expect(await wordsSeen(words)).toEqual(['cherries']);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('an edit that restores old passages finds them, although their removal had begun', async () => {
    await indexUntilStep(await accept(sections('walnuts')), Infinity);
    await indexUntilStep(await accept(sections('peaches')), 5);
    expect(await wordsSeen(['walnuts', 'peaches'])).toEqual(['peaches']);
    const ids = await accept(
      [sections('walnuts', 600), sections('peaches', 200), sections('cherries', 100)].flat(),
    );
    const words = ['walnuts', 'peaches', 'cherries'];
    await indexUntilStep(ids, 2);
    expect(await wordsSeen(words)).toEqual(['peaches']);
    await indexUntilStep(ids, Infinity);
    expect(await wordsSeen(words)).toEqual(words);
    expect(await faultsOf(services.db)).toEqual(NO_FAULTS);
  });

  it('a small replacement is visible at once, and nothing stays hidden', async () => {
    await indexUntilStep(await accept(sections('walnuts')), 3);
    await indexUntilStep(await accept(['All about cherries.']), Infinity);
    expect(await wordsSeen(['walnuts', 'cherries'])).toEqual(['cherries']);
    const { rows } = await sql`select hidden_above, hidden_ids from document`.execute(services.db);
    expect(rows).toEqual([{ hidden_above: null, hidden_ids: null }]);
  });
});

it('of a large document the passages at its beginning are compared, also those that came last', async () => {
  await indexUntilStep(await accept(sections('walnuts')), Infinity);
  const [first = '', ...rest] = sections('walnuts');
  const edited = [first, 'Quinces ripen late.', ...rest];
  await indexUntilStep(await accept(edited), Infinity);
  const wanted = { workspaceId, documentIds: [PAGE], perDocument: 1 };
  const { further } = await readPassages(services.db, { ...wanted, query: 'quinces' });
  expect(further.map(({ text }) => text)).toEqual([first, 'Quinces ripen late.']);
  await indexUntilStep(await accept([...rest, 'Quinces ripen late.']), Infinity);
  const later = await readPassages(services.db, { ...wanted, query: 'quinces' });
  expect(later.further.map(({ text }) => text)).toEqual([rest[0]]);
});
