import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const COLLECTIONS_URL = new URL('../../shared/data', import.meta.url);
export const COLLECTION_NAMES = [
  'anthropic-docs',
  'cacm',
  'cisi',
  'codebase-chunks',
  'cranfield',
  'med',
  'npl',
  'scifact',
];

const documentSchema = z.object({ id: z.string(), title: z.string(), text: z.string() });
const querySchema = z.object({ id: z.string(), text: z.string() });
const metaSchema = z.object({ bm25: z.object({ 'ndcg@10': z.number() }) });

export interface Collection {
  name: string;
  documents: z.output<typeof documentSchema>[];
  /** Those that have a relevant document. */
  queries: z.output<typeof querySchema>[];
  /** Query id → document id → grade. */
  grades: Map<string, Map<string, number>>;
  /** nDCG@10 of plain BM25, from the collection's description. */
  publishedNdcg: number;
}

/** Null if the collection is not there. */
export function loadCollection(name: string): Collection | null {
  if (!existsSync(fileOf(name, 'META.json'))) return null;
  const grades = new Map<string, Map<string, number>>();
  for (const line of readLines(name, 'qrels.tsv')) {
    const [query = '', document = '', grade = '0'] = line.split('\t');
    if (Number(grade) <= 0) continue;
    const ofQuery = grades.get(query) ?? new Map<string, number>();
    grades.set(query, ofQuery.set(document, Number(grade)));
  }
  const queries = readLines(name, 'queries.jsonl').map((line) =>
    querySchema.parse(JSON.parse(line)),
  );
  return {
    name,
    documents: readLines(name, 'docs.jsonl').map((line) => documentSchema.parse(JSON.parse(line))),
    queries: queries.filter(({ id }) => grades.has(id)),
    grades,
    publishedNdcg: metaSchema.parse(JSON.parse(readLines(name, 'META.json').join('\n'))).bm25[
      'ndcg@10'
    ],
  };
}

function readLines(name: string, file: string): string[] {
  return readFileSync(fileOf(name, file), 'utf8').trim().split('\n');
}

function fileOf(name: string, file: string): URL {
  return new URL(`${COLLECTIONS_URL.href}/${name}/${file}`);
}
