import { createApiClient } from '#test/support/api-client.ts';
import { until } from '#test/support/until.ts';
import type { BenchOptions } from './bench-options.ts';
import { type Collection, COLLECTION_NAMES, loadCollection } from './collections.ts';
import { startChildMillrace } from './child-millrace.ts';
import { PUSHES, timePush } from './push-documents.ts';
import { plainBm25, type RankedIds } from './plain-bm25.ts';
import { queryKinds, swapLetters } from './query-kinds.ts';

const DEPTH = 100;
const NDCG_DEPTH = 10;
const SWAPPED_WORDS = 60;
const WORDS_TIMEOUT_MS = 120_000;

interface Quality {
  'nDCG@10': number;
  'recall@100': number;
  MRR: number;
}

/**
 * Prints how good the order of `POST /search` is on the test collections, beside plain BM25 over whole documents: for
 * the queries as they are, misspelt, and three keywords of each. The last column is the mean of the other collections.
 * `--mix` names collections.
 */
export async function relevance({ mixes }: BenchOptions): Promise<void> {
  const names = COLLECTION_NAMES.filter((name) => mixes === null || mixes.includes(name));
  const collections = names.flatMap((name) => loadCollection(name) ?? []);
  if (collections.length === 0) {
    console.log('relevance: skipped, the test collections are not there');
    return;
  }
  const tables: Record<string, Record<string, Record<string, number>>> = {};
  const swapped: Record<string, Record<string, number>> = {};
  for (const collection of collections) {
    const measured = await measure(collection);
    swapped[collection.name] = measured.swapped;
    for (const [kind, row] of Object.entries(measured.kinds)) {
      tables[kind] = { ...tables[kind], [collection.name]: row };
    }
  }
  for (const [kind, table] of Object.entries(tables)) {
    console.log(`\n${kind} queries`);
    console.table(withMeans(table));
  }
  console.log('\none rare word with two letters swapped');
  console.table(swapped);
}

async function measure(collection: Collection) {
  await using child = await startChildMillrace('src/main.ts', {
    settings: { RATE_LIMIT_PER_MINUTE: '1000000' },
  });
  const indexable = collection.documents.filter(
    ({ title, text }) => `${title}${text}`.trim() !== '',
  );
  const items = indexable.map(({ id, title, text }) => ({
    document: {
      id,
      semantic_identifier: title || id,
      source: 'file',
      sections: [{ text: text.trim() === '' ? title : text }],
    },
  }));
  const push = PUSHES['batches of 100'];
  if (!push) throw new Error('There is no way to push in batches.');
  const { indexedSeconds } = await timePush(child, items, push);
  const client = createApiClient(child.url, child.adminKey);
  const search = async (query: string): Promise<RankedIds> => {
    const { status, body } = await client.call('POST', '/search', { query, limit: DEPTH });
    if (status !== 200) throw new Error(`POST /search answered ${status} to ${query}`);
    return body.results.map((hit: { document_id: string }) => hit.document_id);
  };
  const bm25 = plainBm25(collection.documents);
  // The words of the last documents are gathered last. Not every document has one of its own.
  const places = new Map(items.map(({ document }, at) => [document.id, at]));
  const placeOf = ({ document }: { document: string }) => places.get(document) ?? -1;
  const last = bm25
    .rareWords(Infinity)
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .at(-1);
  if (last) {
    await until(async () => {
      const query = swapLetters(last.word);
      const { body } = await client.call('POST', '/search', { query, limit: 1 });
      return body.corrected_query !== null;
    }, WORDS_TIMEOUT_MS);
  }
  const kinds: Record<string, Record<string, number>> = {};
  const startedMs = performance.now();
  let asked = 0;
  for (const [kind, queries] of Object.entries(queryKinds(collection, bm25))) {
    const ours = await rate(collection, queries, search);
    const theirs = await rate(collection, queries, async (query) => bm25.search(query, DEPTH));
    const reference = kind === 'whole' ? { 'published BM25': collection.publishedNdcg } : {};
    asked += queries.length;
    kinds[kind] = {
      ...ours,
      ...Object.fromEntries(Object.entries(theirs).map(([name, v]) => [`${name} BM25`, v])),
      ...reference,
    };
  }
  const ms = Math.round((performance.now() - startedMs) / asked);
  const perSecond = Math.round(items.length / indexedSeconds);
  const swapped = await swappedWords(bm25.rareWords(SWAPPED_WORDS), search);
  const ndcgs = Object.values(kinds).map((row) => row['nDCG@10']);
  console.log(
    `${collection.name}: ${perSecond} documents/s indexed, ${ms} ms a query, nDCG@10 ${ndcgs.join(' ')}`,
  );
  return { kinds, swapped };
}

async function rate(
  { grades }: Collection,
  queries: readonly { id: string; text: string }[],
  search: (query: string) => Promise<RankedIds>,
): Promise<Quality> {
  const sum: Quality = { 'nDCG@10': 0, 'recall@100': 0, MRR: 0 };
  for (const { id, text } of queries) {
    const relevant = grades.get(id) ?? new Map<string, number>();
    const ranked = await search(text);
    const gains = ranked.map((document) => relevant.get(document) ?? 0);
    const ideal = [...relevant.values()].sort((a, b) => b - a);
    const first = gains.findIndex((gain) => gain > 0);
    sum['nDCG@10'] += discounted(gains) / discounted(ideal);
    sum['recall@100'] += gains.slice(0, DEPTH).filter((gain) => gain > 0).length / relevant.size;
    sum.MRR += first === -1 ? 0 : 1 / (first + 1);
  }
  return {
    'nDCG@10': round(sum['nDCG@10'] / queries.length),
    'recall@100': round(sum['recall@100'] / queries.length),
    MRR: round(sum.MRR / queries.length),
  };
}

/** The gain is the grade, the discount `log2(rank + 1)`. */
function discounted(gains: readonly number[]): number {
  return gains
    .slice(0, NDCG_DEPTH)
    .reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}

/** Words that stand in one document only: is that document found by its misspelt word? */
async function swappedWords(
  words: readonly { word: string; document: string }[],
  search: (query: string) => Promise<RankedIds>,
): Promise<Record<string, number>> {
  const counts = { asked: words.length, first: 0, 'within ten': 0, nothing: 0 };
  for (const { word, document } of words) {
    const place = (await search(swapLetters(word))).indexOf(document);
    if (place === 0) counts.first += 1;
    if (place !== -1 && place < 10) counts['within ten'] += 1;
    if (place === -1) counts.nothing += 1;
  }
  return counts;
}

function withMeans(
  table: Record<string, Record<string, number>>,
): Record<string, Record<string, number>> {
  const rows = Object.entries(table);
  const columns = Object.keys(rows[0]?.[1] ?? {});
  const mean = (some: typeof rows, column: string) =>
    round(some.reduce((sum, [, row]) => sum + (row[column] ?? 0), 0) / Math.max(1, some.length));
  const shown = rows.map(([name, row]) => {
    const others = rows.filter(([other]) => other !== name);
    return [name, { ...row, 'nDCG@10 of the others': mean(others, 'nDCG@10') }] as const;
  });
  const means = Object.fromEntries(columns.map((column) => [column, mean(rows, column)]));
  return { ...Object.fromEntries(shown), mean: means };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
