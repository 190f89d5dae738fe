import { countTokens } from '#src/documents/count-tokens.ts';
import { visibleText } from '#src/documents/html-text.ts';
import type { SearchHit } from '#src/documents/search/search-hit.ts';
import { type FusedItem, fuseRanks } from './fuse-ranks.ts';

/** Limit of a single search. */
const MAX_FOUND_BY_ONE = 10;
/** Limit of several together. */
const MAX_FOUND = 15;
/** Results of each search that enter the fusion. */
const DEPTH = 25;
/** Queries that a model has written fit the index better than the user's words, which may be "and the other one?". */
const QUERY_WEIGHT = 0.7;
const QUESTION_WEIGHT = 0.5;
/** Passages shown of one document when several queries found different ones. */
const MAX_PASSAGES = 3;
/** Token limit of all passages beyond the first of each document. */
const MAX_FURTHER_TOKENS = 4_000;

/** A search of the index, bound to its workspace, user and filters; best hits first. */
export type SearchIndex = (
  query: string,
  limit: number,
  signal: AbortSignal,
) => Promise<readonly SearchHit[]>;

export interface FoundDocument {
  /** Its best passage. */
  hit: SearchHit;
  /** The text for the model. */
  content: string;
}

/** Runs all queries at once and fuses the results; one entry per document, best first. */
export async function searchAll(
  search: SearchIndex,
  asked: { queries: readonly string[]; question: string | null },
  signal: AbortSignal,
): Promise<FoundDocument[]> {
  const variants = [
    ...asked.queries.map((query) => ({ query, weight: QUERY_WEIGHT })),
    ...(asked.question === null ? [] : [{ query: asked.question, weight: QUESTION_WEIGHT }]),
  ];
  const isAlone = variants.length === 1;
  const lists = await Promise.all(
    variants.map(async ({ query, weight }) => ({
      weight,
      items: await search(query, isAlone ? MAX_FOUND_BY_ONE : DEPTH, signal),
    })),
  );
  signal.throwIfAborted();
  const fused = fuseRanks(lists, (hit) => hit.document_id);
  const most = isAlone ? MAX_FOUND_BY_ONE : MAX_FOUND;
  return joinPassages(fused.slice(0, most), isAlone);
}

function joinPassages(fused: readonly FusedItem<SearchHit>[], isAlone: boolean): FoundDocument[] {
  let room = MAX_FURTHER_TOKENS;
  return fused.flatMap(({ score, items }) => {
    const [best, ...others] = distinctPassages(items).map(readable);
    if (best === undefined) return [];
    const passages = [best];
    for (const other of others.slice(0, MAX_PASSAGES - 1)) {
      const cost = countTokens(other.text);
      if (cost > room) continue;
      room -= cost;
      passages.push(other);
    }
    const content = passages
      .toSorted((one, other) => one.chunk_ind - other.chunk_ind)
      .map(({ text }) => text)
      .join('\n\n');
    // Scores of different searches are not comparable, ranks are.
    return [{ hit: isAlone ? best : { ...best, score }, content }];
  });
}

function distinctPassages(hits: readonly SearchHit[]): SearchHit[] {
  const first = new Map<number, SearchHit>();
  for (const hit of hits) if (!first.has(hit.chunk_ind)) first.set(hit.chunk_ind, hit);
  return [...first.values()];
}

/** A passage of HTML is read and quoted without its tags. */
function readable(hit: SearchHit): SearchHit {
  return hit.is_html ? { ...hit, text: visibleText(hit.text) } : hit;
}
