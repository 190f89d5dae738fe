import { sql } from 'kysely';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { stemWord, tokenizeWords, WORD_PATTERN } from '#src/documents/tokenize.ts';
import { FUNCTION_WORDS } from '#src/documents/stop-words.ts';
import { bucketOf, readWords } from '#src/documents/word-buckets.ts';
import type { Database } from '#src/platform/database.ts';
import { editDistance } from './edit-distance.ts';
import type { SearchQuery } from './parse-query.ts';
import { NO_FILTERS } from './search-filters.ts';
import { searchable, type SearchScope, throughIndex } from './search-terms.ts';
import { synonymsOf } from './synonyms.ts';

const CORRECTABLE = /^\p{L}{5,31}$/u;
/** From this length on, two edits still leave most of the word. */
const LONG_WORD = 9;
/** Words of one query that are corrected: a query with more unknown words is in another language. */
const MAX_CORRECTED = 16;
/** Nearest words that are looked up in the index, of which one is chosen. */
const MAX_CHOICES = 8;

/** Of words that only chunks private to others may have: rarer ones are looked up. */
const MAX_SECRET_CHUNKS = 1_000;
const MAX_SECRET_WORDS = 32;

interface Choice {
  word: string;
  id: number;
  edits: number;
}

/**
 * What to replace in the query: for each word that no chunk has, in any inflection, the nearest word of the workspace:
 * one edit away, from nine letters on two. Words in quotes, words that conditions name and words with synonyms stay as
 * they are. A word is suggested only if the searcher may see a chunk that has it.
 * @param counts of all terms of the query
 */
export async function findCorrections(
  db: Database,
  scope: SearchScope,
  query: SearchQuery,
  counts: TermCounts,
): Promise<ReadonlyMap<string, string>> {
  const corrections = new Map<string, string>();
  const salt = workspaceSalt(scope.workspaceId);
  const idOf = (word: string) => termId(stemWord(word), salt);
  const loose = looseWords(query);
  const secret = await wordsOfOthers(db, scope, loose.map(idOf), counts);
  const unknown = loose.filter((word) => !counts.df.has(idOf(word)) || secret.has(idOf(word)));
  if (counts.chunks === 0 || unknown.length === 0 || unknown.length > MAX_CORRECTED) {
    return corrections;
  }
  const buckets = new Set(unknown.flatMap(bucketsNear));
  const words = await readWords(db, scope.workspaceId, [...buckets]);
  const choices = unknown.map((word) => [word, choicesFor(word, words, salt)] as const);
  const ids = choices.flatMap(([, some]) => some.map(({ id }) => id));
  const { df } = await readTermCounts(db, scope.workspaceId, ids);
  for (const [word, some] of choices) {
    const likely = byLikelihood(some, df);
    if (likely.length === 0 || (await hasSynonyms(db, scope, word))) continue;
    const best = await firstVisible(db, scope, likely);
    if (best !== null) corrections.set(word, best);
  }
  return corrections;
}

/** The query with the words replaced. */
export function correctQuery(
  query: SearchQuery,
  corrections: ReadonlyMap<string, string>,
): SearchQuery {
  // The text of a parsed query has no quotes, but none of these words stood in any.
  const text = replaceWords(query.text, corrections);
  return { ...query, text, looseText: replaceWords(query.looseText, corrections) };
}

/** The same text with the words replaced; what stands in quotes stays as it is. */
export function replaceWords(text: string, corrections: ReadonlyMap<string, string>): string {
  const parts = text.split('"').map((part, at) =>
    at % 2 === 1
      ? part
      : part.replace(WORD_PATTERN, (written) => {
          const [word = ''] = correctableWords(written);
          return corrections.get(word) ?? written;
        }),
  );
  return parts.join('"');
}

/** Words that stand in no quotes and no condition. */
function looseWords({ text, looseText, conditions }: SearchQuery): string[] {
  const named = new Set(conditions.flatMap((condition) => correctableWords(condition.text)));
  const loose = Map.groupBy(correctableWords(looseText), (word) => word);
  const all = Map.groupBy(correctableWords(text), (word) => word);
  return [...loose.keys()].filter(
    (word) =>
      loose.get(word)?.length === all.get(word)?.length &&
      !named.has(word) &&
      !FUNCTION_WORDS.has(word),
  );
}

/**
 * Words of the query that only chunks private to others have: to the searcher they are as unknown as any other, and an
 * answer that leaves them alone would tell that they are there.
 */
async function wordsOfOthers(
  db: Database,
  scope: SearchScope,
  ids: readonly number[],
  { df }: TermCounts,
): Promise<ReadonlySet<number>> {
  if (scope.userId === null) return new Set();
  const rare = ids
    .filter((id) => (df.get(id) ?? 0) > 0 && (df.get(id) ?? 0) <= MAX_SECRET_CHUNKS)
    .slice(0, MAX_SECRET_WORDS);
  const visible = await visibleTerms(db, scope, rare);
  return new Set(rare.filter((id) => !visible.has(id)));
}

async function hasSynonyms(
  db: Database,
  { workspaceId }: SearchScope,
  word: string,
): Promise<boolean> {
  return (await synonymsOf(db, workspaceId, word)).length > 0;
}

/** Identifiers and pairs of words are left alone: they are more than one word. */
function correctableWords(text: string): string[] {
  return (text.match(WORD_PATTERN) ?? []).flatMap((written) => {
    const words = tokenizeWords(written);
    const [word = ''] = words;
    return words.length === 1 && CORRECTABLE.test(word) ? [word] : [];
  });
}

function editsFor(word: string): number {
  return word.length < LONG_WORD ? 1 : 2;
}

/** Words that begin with one of the first two letters: people rarely get the first letter wrong, but swap or double it. */
function bucketsNear(word: string): number[] {
  const edits = editsFor(word);
  const lengths = Array.from({ length: 2 * edits + 1 }, (_, at) => word.length - edits + at);
  const letters = [...new Set(word.slice(0, 2))];
  return letters.flatMap((letter) => lengths.map((length) => bucketOf(letter, length)));
}

function choicesFor(word: string, words: readonly string[], salt: number): Choice[] {
  const limit = editsFor(word);
  return words
    .map((known) => ({
      word: known,
      id: termId(stemWord(known), salt),
      edits: editDistance(word, known, limit),
    }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_CHOICES);
}

/** The nearest first, of those the most frequent; without those that left the index. */
function byLikelihood(choices: readonly Choice[], df: ReadonlyMap<number, number>): Choice[] {
  return choices
    .filter(({ id }) => df.has(id))
    .sort((a, b) => a.edits - b.edits || (df.get(b.id) ?? 0) - (df.get(a.id) ?? 0));
}

async function firstVisible(
  db: Database,
  scope: SearchScope,
  choices: readonly Choice[],
): Promise<string | null> {
  for (const { word, id } of choices) {
    if ((await visibleTerms(db, scope, [id])).size > 0) return word;
  }
  return null;
}

/** Those terms that some chunk has which the searcher may see, whatever the query filters and demands. */
async function visibleTerms(
  db: Database,
  scope: SearchScope,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const anywhere = { ...scope, filters: NO_FILTERS, conditions: [] };
  // For a single row the planner would rather walk through the table than ask the index.
  const { rows } = await throughIndex(
    db,
    sql<{ id: number }>`
      select id from unnest(${ids}::int[]) as term(id)
      where exists (select 1 from chunk_terms where terms @> array[id] and ${searchable(anywhere)})`,
  );
  return new Set(rows.map(({ id }) => id));
}
