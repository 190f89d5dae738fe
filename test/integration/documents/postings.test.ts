// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTermIds, workspaceSalt } from '#src/documents/bm25.ts';
import { ingestionItemSchema, toIncomingDocument } from '#src/documents/incoming-document.ts';
import { indexDocuments } from '#src/documents/index-documents.ts';
import {
  checkPostings,
  dropAbandonedSegments,
  mergePostings,
} from '#src/documents/merge-postings.ts';
import { RENEWED_PER_STEP, renewTerms } from '#src/documents/renew-terms.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { matchWords } from '#src/documents/search/match-words.ts';
import { takeVisible, scoreByPostings } from '#src/documents/search/search-postings.ts';
import type { SearchScope } from '#src/documents/search/search-scope.ts';
import { searchWords } from '#src/documents/search/search-words.ts';
import { readTermCounts } from '#src/documents/term-counts.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { DocumentId } from '#src/ids.ts';
import type { Background } from '#src/platform/background.ts';
import { renameSegments, scoreRows, textOf } from '#test/support/posting-rows.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { writeWeights } from '#test/support/write-older-terms.ts';

/** Of Postgres. */
const PAGE_BYTES = 8_192;
const QUERIES = ['wa0', 'wb1 wc2', 'wd3 wj59 we4', 'wi58 wh57 wa50', 'wa0 wb1 wc2 wd3 we4', 'none'];

let stage: TestServices;
const atOnce: Background = (work) => work();
const { signal } = new AbortController();

beforeAll(async () => {
  stage = await openTestServices();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function push(numbers: readonly number[], revision: number): Promise<void> {
  const { services, workspaceId } = stage;
  const context = { workspaceId, writer: null, requestId: null, maxBytes: 1_000_000 };
  await Promise.all(
    numbers.map((number) =>
      services.documentAcceptor.accept(
        toIncomingDocument(
          ingestionItemSchema.parse({
            document: {
              id: `n-${number}`,
              semantic_identifier: `n${number}`,
              source: number % 50 === 7 ? 'web' : 'file',
              sections: [{ text: textOf(number, revision) }],
            },
          }),
          context,
        ),
      ),
    ),
  );
  await index();
}

async function index(): Promise<void> {
  const { services } = stage;
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where status in ('accepted', 'deleting')`.execute(services.db);
  await indexDocuments(
    services,
    rows.map(({ id }) => id),
    signal,
  );
}

async function remove(numbers: readonly number[]): Promise<void> {
  const names = numbers.map((number) => `n-${number}`);
  await sql`update document set status = 'deleting', revision = revision + 1
    where external_id = any(${names}::text[])`.execute(stage.services.db);
  await index();
}

function scopeOf(change: Partial<SearchScope> = {}): SearchScope {
  return {
    workspaceId: stage.workspaceId,
    userId: null,
    filters: NO_FILTERS,
    conditions: [],
    includesHidden: false,
    limit: 40,
    ...change,
  };
}

async function asked(query: string) {
  const terms = countTermIds(tokenize(query), workspaceSalt(stage.workspaceId));
  const counts = await readTermCounts(stage.services.db, stage.workspaceId, [...terms.keys()]);
  return { terms, counts };
}

async function find(query: string, change: Partial<SearchScope> = {}) {
  const { terms, counts } = await asked(query);
  const found = await searchWords(stage.services.db, scopeOf(change), terms, counts, 20_000);
  return found.map(({ key, score }) => ({ key, score }));
}

async function findOneByOne(query: string, source: string | null = null, limit = 40) {
  return scoreRows(stage.services.db, await asked(query), { source, limit });
}

async function expectExact(): Promise<void> {
  for (const query of QUERIES) {
    const expected = await findOneByOne(query);
    expect(await find(query)).toEqual(expected);
  }
}

/** Rows are scored in single precision, so near-equal scores may change places. */
async function expectNearlyExact(): Promise<void> {
  for (const query of QUERIES) {
    const expected = await findOneByOne(query, null, 1_000);
    const scores = new Map(expected.map(({ key, score }) => [key, score]));
    const found = await find(query);
    expect(found).toHaveLength(Math.min(40, expected.length));
    for (const [at, { key, score }] of found.entries()) {
      expect(score).toBeCloseTo(scores.get(key) ?? 0, 5);
      expect(score).toBeCloseTo(expected[at]?.score ?? 0, 5);
    }
    expect(new Set(found.map(({ key }) => key)).size).toBe(found.length);
  }
}

async function segments(): Promise<{ chunks: number; ready: boolean }[]> {
  const { rows } = await sql<{ chunks: number; ready: boolean }>`
    select chunks, ready from posting_segment order by chunks`.execute(stage.services.db);
  return rows;
}

async function mergeAll(): Promise<void> {
  while (await mergePostings(stage.services.db, atOnce, signal));
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n);

describe('the best chunks by words are those of exact BM25', () => {
  it('after documents were added in many writes, changed and deleted, before and after merging', async () => {
    expect(await find('wa0')).toEqual([]);
    for (let from = 0; from < 160; from += 20) await push(numbers(from, from + 20), 1);
    await expectExact();
    await push(numbers(30, 50), 2);
    await remove(numbers(0, 15));
    await expectExact();
    expect((await segments()).length).toBeGreaterThan(8);
    await mergeAll();
    expect(await segments()).toEqual([{ chunks: 145, ready: true }]);
    await expectExact();
    await push(numbers(10, 35), 3);
    await remove(numbers(100, 110));
    await expectExact();
  });

  it('in rows of the version before, half of them read, and all of them', async () => {
    const { db } = stage.services;
    await sql`delete from posting_segment`.execute(db);
    await writeWeights(db);
    await sql`update chunk_terms set in_postings = false`.execute(db);
    await expectNearlyExact();
    await sql`update chunk_terms set in_postings = true where chunk_id % 2 = 0`.execute(db);
    expect(await renewTerms(db)).toBeGreaterThan(50);
    await sql`update chunk_terms set in_postings = false where chunk_id % 2 = 0`.execute(db);
    await expectNearlyExact();
    while ((await renewTerms(db)) === RENEWED_PER_STEP);
    expect(await renewTerms(db)).toBe(0);
    await expectNearlyExact();
  });

  it('while segments are merged, by two workers at once', async () => {
    const { db } = stage.services;
    for (let from = 200; from < 240; from += 5) await push(numbers(from, from + 5), 1);
    const expected = await findOneByOne('wb1 wc2');
    const merging = Promise.all([mergeAll(), mergeAll()]);
    let isOver = false;
    const over = merging.finally(() => (isOver = true));
    do expect(await find('wb1 wc2')).toEqual(expected);
    while (!isOver);
    await over;
    await mergeAll();
    const { rows } = await sql<{
      chunks: number;
    }>`select count(*)::int as chunks from chunk`.execute(db);
    const left = await segments();
    expect(left.every(({ ready }) => ready)).toBe(true);
    expect(left.reduce((sum, { chunks }) => sum + chunks, 0)).toBe(rows[0]?.chunks);
    await expectExact();
  });
});

describe('a reader whose segments are always gone', () => {
  it('reads them in one snapshot in the end', async () => {
    const { db } = stage.services;
    const expected = await findOneByOne('wb1 wc2');
    // What was read before would be taken from memory.
    await renameSegments(db);
    let listings = 0;
    const unlucky = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const [row] = result.rows;
        if (row && 'segments' in row && listings < 4) {
          listings += 1;
          await renameSegments(db);
        }
        return result;
      },
    });
    const { terms, counts } = await asked('wb1 wc2');
    const found = await searchWords(unlucky, scopeOf(), terms, counts, 20_000);
    expect(found.map(({ key, score }) => ({ key, score }))).toEqual(expected);
    expect(listings).toBe(4);
  });
});

describe('a merge that ends early', () => {
  it('leaves the sources as they were, and nothing else', async () => {
    for (let from = 300; from < 320; from += 5) await push(numbers(from, from + 5), 1);
    const before = await segments();
    let steps = 0;
    const dies: Background = async (work) => {
      if (steps === 1) throw new Error('cut off');
      steps += 1;
      return work();
    };
    await expect(mergePostings(stage.services.db, dies, signal)).rejects.toThrow('cut off');
    expect(await segments()).toEqual(before);
    await expectExact();
  });

  it('by a crash: what it wrote is never read, and removed later', async () => {
    const { db } = stage.services;
    await sql`insert into posting_segment (id, workspace_id, chunks, buckets, directory, ready, created_at)
      values (gen_random_uuid(), ${stage.workspaceId}, 1, 1, '\\x01ff02', false, now() - interval '2 hours')`.execute(
      db,
    );
    await expectExact();
    await dropAbandonedSegments(db);
    expect((await segments()).every(({ ready }) => ready)).toBe(true);
  });
});

describe('all chunks with a word of the query', () => {
  const match = async (change: Partial<SearchScope> = {}, most?: number) => {
    const { terms, counts } = await asked('wa0 wb1');
    const search = { scope: scopeOf(change), queryTerms: terms, counts };
    const { chunks, isWhole } = await matchWords(stage.services.db, search, signal, most);
    return { keys: chunks.map(({ key }) => key).toSorted((a, b) => a - b), isWhole };
  };
  const all = async (source: string | null = null) => {
    const found = await findOneByOne('wa0 wb1', source, 10_000);
    return found.map(({ key }) => key).toSorted((a, b) => a - b);
  };
  /** As before the first of them were written. */
  const withoutPostings = async (run: () => Promise<void>) => {
    const { db } = stage.services;
    await writeWeights(db);
    await sql`update posting_segment set ready = not ready`.execute(db);
    await sql`update chunk_terms set in_postings = false`.execute(db);
    await run();
    await sql`update posting_segment set ready = not ready`.execute(db);
    await sql`update chunk_terms set in_postings = true`.execute(db);
  };

  it('are found, those without postings, too', async () => {
    expect((await all()).length).toBeGreaterThan(100);
    expect(await match()).toEqual({ keys: await all(), isWhole: true });
    await withoutPostings(async () => {
      expect(await match()).toEqual({ keys: await all(), isWhole: true });
    });
  });

  it('are the best ones when there are more than the limit, and whole again with a filter', async () => {
    const few = await match({}, 50);
    expect(few.isWhole).toBe(false);
    expect(few.keys).toHaveLength(50);
    expect(await all()).toEqual(expect.arrayContaining(few.keys));
    const best = await findOneByOne('wa0 wb1', null, 25);
    expect(few.keys).toEqual(expect.arrayContaining(best.map(({ key }) => key)));
    const filters = { ...NO_FILTERS, source_type: ['web'] };
    expect(await match({ filters }, 10)).toEqual({ keys: await all('web'), isWhole: true });
  });

  it('are as many rows as the limit allows where none has postings', async () => {
    await withoutPostings(async () => {
      expect((await match({}, 20)).isWhole).toBe(false);
    });
  });
});

describe('a filter', () => {
  it('that few chunks pass loses none of them, however many are better', async () => {
    const scope = { filters: { ...NO_FILTERS, source_type: ['web'] } };
    const expected = await findOneByOne('wa0 wb1', 'web');
    expect(expected.length).toBeGreaterThan(2);
    expect(await find('wa0 wb1', scope)).toEqual(expected);
    const { terms, counts } = await asked('wa0 wb1');
    const scored = await scoreByPostings(stage.services.db, stage.workspaceId, terms, counts);
    const few = await takeVisible(stage.services.db, scopeOf(scope), scored.best, {
      checked: 10,
      permitted: 1_000,
      checkedInAll: 20,
    });
    expect(few.map(({ key }) => key)).toEqual(expected.map(({ key }) => key));
  });

  it('that many chunks pass, but few of the best: further ones are looked at', async () => {
    const { db } = stage.services;
    const scope = scopeOf({ filters: { ...NO_FILTERS, source_type: ['web'] } });
    const { terms, counts } = await asked('wa0 wb1');
    const { best } = await scoreByPostings(db, stage.workspaceId, terms, counts);
    const expected = (await findOneByOne('wa0 wb1', 'web')).map(({ key }) => key);
    const take = async (checkedInAll: number) => {
      const limits = { checked: 10, permitted: 1, checkedInAll };
      return (await takeVisible(db, scope, best, limits)).map(({ key }) => key);
    };
    expect(await take(10_000)).toEqual(expected);
    expect((await take(20)).length).toBeLessThan(expected.length);
  });

  it('and a rare word that passages must have, which none of the best has', async () => {
    const { db } = stage.services;
    const { terms, counts } = await asked('wa0');
    const { best } = await scoreByPostings(db, stage.workspaceId, terms, counts);
    const conditions = [{ text: 'wj59', isTitle: false, isPhrase: false, isExcluded: false }];
    const scope = scopeOf({ conditions });
    const all = await takeVisible(db, scope, best);
    expect(all.length).toBeGreaterThan(1);
    const limits = { checked: 10, permitted: 300, checkedInAll: 20 };
    expect(await takeVisible(db, scope, best, limits)).toEqual(all);
  });

  it('and a phrase, an excluded word and a hidden document count as in rows', async () => {
    const { db } = stage.services;
    const first = (await find('wa0 wb1'))[0]?.key ?? 0;
    await sql`update document set hidden = true
      where id = (select document_id from chunk where id = ${first})`.execute(db);
    expect((await find('wa0 wb1')).map(({ key }) => key)).not.toContain(first);
    expect((await find('wa0 wb1', { includesHidden: true }))[0]?.key).toBe(first);
    await sql`update document set hidden = false`.execute(db);
    const demanded = { text: 'wj59', isTitle: false, isPhrase: false, isExcluded: false };
    const having = await find('wa0', { conditions: [demanded] });
    const without = await find('wa0', { conditions: [{ ...demanded, isExcluded: true }] });
    const all = await find('wa0', { limit: 1_000 });
    expect(having.length).toBeGreaterThan(0);
    const both = [
      ...having,
      ...(await find('wa0', { conditions: [{ ...demanded, isExcluded: true }], limit: 1_000 })),
    ];
    expect(new Set(both.map(({ key }) => key))).toEqual(new Set(all.map(({ key }) => key)));
    expect(without).toHaveLength(40);
  });
});

it('a segment of which many chunks are gone is written again without them', async () => {
  const { db } = stage.services;
  await mergeAll();
  await remove(numbers(40, 160));
  const before = (await segments()).reduce((sum, { chunks }) => sum + chunks, 0);
  await sql`update posting_segment set checked_at = now() - interval '2 hours'`.execute(db);
  while (await checkPostings(db, atOnce, signal));
  const left = (await segments()).reduce((sum, { chunks }) => sum + chunks, 0);
  expect(left).toBeLessThan(before - 60);
  await expectExact();
});

it('merges again and again leave the table as large as after the first ones', async () => {
  const { db } = stage.services;
  const bytes = async (): Promise<number> => {
    const { rows } = await sql<{ bytes: number }>`
      select pg_relation_size('posting_bucket')::int as bytes`.execute(db);
    return rows[0]?.bytes ?? 0;
  };
  const writeAgain = async (revision: number): Promise<void> => {
    for (let from = 400; from < 480; from += 20) await push(numbers(from, from + 20), revision);
    await mergeAll();
  };
  await writeAgain(1);
  const before = await bytes();
  for (let revision = 2; revision < 20; revision += 1) await writeAgain(revision);
  expect(await bytes()).toBeLessThanOrEqual(before + 2 * PAGE_BYTES);
  await expectExact();
});

it('nothing is left of a workspace that is deleted', async () => {
  const { db } = stage.services;
  expect((await segments()).length).toBeGreaterThan(0);
  const { rows } = await sql<{ action: string }>`
    select confdeltype::text as action from pg_constraint
    where conrelid in ('posting_segment'::regclass, 'posting_bucket'::regclass) and contype = 'f'`.execute(
    db,
  );
  expect(rows).toEqual([{ action: 'c' }, { action: 'c' }]);
});
