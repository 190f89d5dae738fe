import { existsSync, readFileSync } from 'node:fs';

import { z } from 'zod';

import {
  chooseCandidateTerms,
  countTermIds,
  documentWeights,
  idf as bm25Idf,
  queryVector,
  type TermVector,
  termId,
} from '#src/documents/bm25.ts';
import { embedQueryText, embedText } from '#src/documents/embed-builtin.ts';
import { fuseScores, type Scored } from '#src/documents/search/fuse-scores.ts';
import { tokenize } from '#src/documents/tokenize.ts';

const COLLECTIONS_URL = new URL('../../shared/data', import.meta.url);
const COLLECTIONS = ['cranfield', 'anthropic-docs', 'cacm'];
const DIMENSIONS = 1024;
const DENSE_WEIGHT = 0.3;
/** Hits of each leg that enter fusion, as in search. */
const LEG_SIZE = 100;
const CUTOFF = 10;
/** Weight of a word that is in no document, as a share of the largest idf. */
const UNKNOWN_WORD_SHARE = 0.6;
const SALT = 0;
/** Share of these small collections that the search scores at most, corresponding to 20,000 of 50,000 rows. */
const SCORED_SHARE = 0.4;
/** With fewer rows, most of the best hundred would be missing, unlike with a limit of thousands. */
const MIN_SCORED = 500;

const documentSchema = z.object({ id: z.string(), title: z.string(), text: z.string() });
const querySchema = z.object({ id: z.string(), text: z.string() });
const metaSchema = z.object({ bm25: z.object({ 'ndcg@10': z.number() }) });

interface Collection {
  name: string;
  documents: { id: string; text: string }[];
  queries: { id: string; text: string }[];
  /** Query id → document id → grade. */
  grades: Map<string, Map<string, number>>;
  /** nDCG@10 of plain BM25, from the collection's description. */
  reference: number;
}

interface Index {
  lexical: TermVector[];
  dense: Float32Array[];
  df: Map<number, number>;
}

/**
 * Prints nDCG@10 on the test collections, by brute force in memory: BM25, the builtin vectors, both fused, and BM25
 * over only the candidates that a search would score. The fusion weight was tuned on such sets, so the figures are
 * in-sample.
 */
export async function relevance(): Promise<void> {
  const present = COLLECTIONS.filter((name) => existsSync(fileOf(name, 'META.json')));
  if (present.length === 0) {
    console.log(`relevance: skipped, no test collections in ${COLLECTIONS_URL.pathname}`);
    return;
  }
  console.table(Object.fromEntries(present.map((name) => [name, measure(load(name))])));
}

function measure(collection: Collection): Record<string, number> {
  const startMs = performance.now();
  const index = buildIndex(collection);
  const seconds = (performance.now() - startMs) / 1000;
  const sums = { bm25: 0, dense: 0, fused: 0, bounded: 0, boundedFused: 0 };
  let judged = 0;
  for (const query of collection.queries) {
    const grades = collection.grades.get(query.id);
    if (grades === undefined) continue;
    judged += 1;
    const lexical = lexicalLeg(index, query.text);
    const dense = denseLeg(index, query.text);
    const score = (hits: readonly Scored[]) => ndcg(hits, collection, grades);
    sums.bm25 += score(lexical);
    sums.dense += score(dense);
    sums.fused += score(fuseScores(lexical, dense, DENSE_WEIGHT));
    const bounded = best(candidateHits(index, query.text));
    sums.bounded += score(bounded);
    sums.boundedFused += score(fuseScores(bounded, dense, DENSE_WEIGHT));
  }
  const termCount = collection.documents.reduce((sum, { text }) => sum + tokenize(text).length, 0);
  return {
    'BM25 reference': collection.reference,
    BM25: round(sums.bm25 / judged),
    'builtin vectors': round(sums.dense / judged),
    [`fused ${DENSE_WEIGHT}`]: round(sums.fused / judged),
    'BM25 of candidates': round(sums.bounded / judged),
    'fused with those': round(sums.boundedFused / judged),
    'terms per document': Math.round(termCount / collection.documents.length),
    'documents/s indexed': Math.round(collection.documents.length / seconds),
  };
}

function buildIndex(collection: Collection): Index {
  const lexical = collection.documents.map(({ text }) => documentWeights(tokenize(text), SALT));
  const dense = collection.documents.map(({ text }) => embedText(text, DIMENSIONS));
  const df = new Map<number, number>();
  for (const { ids } of lexical) for (const id of ids) df.set(id, (df.get(id) ?? 0) + 1);
  return { lexical, dense, df };
}

function lexicalLeg(index: Index, text: string): Scored[] {
  return best(scoreAll(index, text));
}

/** Scores only the rows that a search would score in a workspace with many more rows. */
function candidateHits(index: Index, text: string): Scored[] {
  const n = index.lexical.length;
  const maxRows = Math.max(MIN_SCORED, Math.round(n * SCORED_SHARE));
  const terms = [...countTermIds(tokenize(text), SALT).keys()];
  const weighted = terms.map((id) => ({ id, df: index.df.get(id) ?? 0, idf: 0 }));
  const { any, all } = chooseCandidateTerms(weighted, n, { maxRows, wantedRows: LEG_SIZE });
  let left = maxRows;
  return scoreAll(index, text).filter(({ key }) => {
    const ids = new Set(index.lexical[key]?.ids);
    if (any.some((id) => ids.has(id))) return true;
    if (all.length === 0 || left === 0 || !all.every((id) => ids.has(id))) return false;
    left -= 1;
    return true;
  });
}

function scoreAll(index: Index, text: string): Scored[] {
  const counts = countTermIds(tokenize(text), SALT);
  const query = queryVector(counts, index.df, index.lexical.length);
  const weightOf = new Map(Array.from(query.ids, (id, at) => [id, query.weights[at] ?? 0]));
  const hits = index.lexical.map(({ ids, weights }, key) => {
    let score = 0;
    for (const [at, id] of ids.entries()) score += (weights[at] ?? 0) * (weightOf.get(id) ?? 0);
    return { key, score };
  });
  return hits.filter(({ score }) => score > 0);
}

function denseLeg(index: Index, text: string): Scored[] {
  const n = index.dense.length;
  const query = embedQueryText(text, DIMENSIONS, (stem) => {
    const df = index.df.get(termId(stem, SALT)) ?? 0;
    return df === 0 ? UNKNOWN_WORD_SHARE * Math.log(1 + n) : bm25Idf(df, n);
  });
  return best(index.dense.map((vector, key) => ({ key, score: dotProduct(vector, query) })));
}

function best(hits: Scored[]): Scored[] {
  return hits.sort((a, b) => b.score - a.score || a.key - b.key).slice(0, LEG_SIZE);
}

function ndcg(
  hits: readonly Scored[],
  collection: Collection,
  grades: ReadonlyMap<string, number>,
): number {
  const gains = hits.map(({ key }) => grades.get(collection.documents[key]?.id ?? '') ?? 0);
  const ideal = Array.from(grades.values()).sort((a, b) => b - a);
  return discounted(gains) / discounted(ideal);
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, CUTOFF).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [index, value] of a.entries()) sum += value * (b[index] ?? 0);
  return sum;
}

function load(name: string): Collection {
  const grades = new Map<string, Map<string, number>>();
  for (const line of read(name, 'qrels.tsv').trim().split('\n')) {
    const [query = '', document = '', grade = '0'] = line.split('\t');
    if (Number(grade) <= 0) continue;
    const ofQuery = grades.get(query) ?? new Map<string, number>();
    grades.set(query, ofQuery.set(document, Number(grade)));
  }
  return {
    name,
    documents: readLines(name, 'docs.jsonl', documentSchema).map(({ id, title, text }) => ({
      id,
      text: text.startsWith(title) ? text : `${title}\n${text}`,
    })),
    queries: readLines(name, 'queries.jsonl', querySchema),
    grades,
    reference: metaSchema.parse(JSON.parse(read(name, 'META.json'))).bm25['ndcg@10'],
  };
}

function readLines<T>(name: string, file: string, schema: z.ZodType<T>): T[] {
  const lines = read(name, file).trim().split('\n');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

function read(name: string, file: string): string {
  return readFileSync(fileOf(name, file), 'utf8');
}

function fileOf(name: string, file: string): URL {
  return new URL(`${COLLECTIONS_URL.href}/${name}/${file}`);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
