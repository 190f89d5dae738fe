import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { foldWord } from '#src/documents/fold-word.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { readWords } from '#src/documents/word-buckets.ts';
import type { Database } from '#src/platform/database.ts';
import { bucketsNear, type NearWord, nearWords, withoutDigraphs } from './near-words.ts';
import type { SearchQuery } from './parse-query.ts';
import { looseWords, replaceWords, titleWords, topicWords, wordPairs } from './query-words.ts';
import type { SearchScope } from './search-scope.ts';
import { synonymsOf } from './synonyms.ts';
import { isInTitle, termsOfOthers, visibleTerms } from './visible-terms.ts';

/** Words of one query that are corrected: a query with more unknown words is in another language. */
const MAX_CORRECTED = 16;
/** Pairs of words that may be one. */
const MAX_PAIRS = 8;

/** What is searched in place of words that no chunk has. */
export interface Corrections {
  /** Written words, in lower case → the word that was probably meant. A pair has a space between. */
  guesses: ReadonlyMap<string, string>;
  /** The same words in another inflection or spelling: nobody has to be told. */
  forms: ReadonlyMap<string, string>;
  /** The query has other words that are known: then a guess only adds to them. */
  areAdded: boolean;
}

export const NO_CORRECTIONS: Corrections = {
  guesses: new Map(),
  forms: new Map(),
  areAdded: false,
};

/**
 * Finds words that no chunk has, in any inflection, and for each the nearest word of the workspace: one edit away, from
 * nine letters on two; or the word that it makes with its neighbour. Words in quotes and excluded words stay as they are;
 * a word with synonyms only takes another inflection. A word is suggested only if the searcher may see a chunk that has
 * it.
 * @param counts of all terms of the query
 * @param parts words that no chunk need have, since they are parts of compounds
 */
export async function findCorrections(
  db: Database,
  scope: SearchScope,
  query: SearchQuery,
  counts: TermCounts,
  parts: ReadonlySet<string>,
): Promise<Corrections> {
  const idOf = termIdIn(scope);
  const loose = looseWords(query);
  const idsOf = (word: string) => [idOf(word), idOf(foldWord(word))];
  const secret = await termsOfOthers(db, scope, loose.flatMap(idsOf), counts);
  const isKnown = (word: string) =>
    parts.has(word) || idsOf(word).some((id) => counts.df.has(id) && !secret.has(id));
  const unknown = loose.filter((word) => !isKnown(word));
  if (counts.chunks === 0 || unknown.length === 0 || unknown.length > MAX_CORRECTED) {
    return NO_CORRECTIONS;
  }
  const guesses = new Map<string, string>();
  const forms = new Map<string, string>();
  const proposals = await propose(db, scope, query, unknown);
  const joinedWords = new Set<string>();
  for (const { words, joined } of proposals.pairs) {
    if (words.some((word) => joinedWords.has(word))) continue;
    if ((await firstVisible(db, scope, [joined], false)) === null) continue;
    guesses.set(words.join(' '), joined);
    for (const word of words) joinedWords.add(word);
  }
  const inTitle = new Set(titleWords(query));
  for (const [word, choices] of proposals.choices) {
    if (joinedWords.has(word) || choices.length === 0) continue;
    const isNamed = await hasSynonyms(db, scope, word);
    const likely = choices
      .filter(({ isInflection }) => isInflection || !isNamed)
      .map((choice) => choice.word);
    const best = await firstVisible(db, scope, likely, inTitle.has(word));
    if (best === null) continue;
    const isForm = choices.find((choice) => choice.word === best)?.isInflection === true;
    (isForm ? forms : guesses).set(word, best);
  }
  const areAdded = topicWords(query.text).some((word) => isKnown(word));
  return { guesses, forms, areAdded };
}

/** The query with the words replaced. */
export function correctQuery(query: SearchQuery, by: ReadonlyMap<string, string>): SearchQuery {
  // The text of a parsed query has no quotes, but none of these words stood in any.
  return {
    ...query,
    text: replaceWords(query.text, by),
    looseText: replaceWords(query.looseText, by),
    conditions: query.conditions.map((condition) =>
      condition.isPhrase || condition.isExcluded
        ? condition
        : { ...condition, text: replaceWords(condition.text, by) },
    ),
  };
}

interface Proposals {
  /** Pairs of words, one of them unknown, that make a word which some chunk has. */
  pairs: { words: [string, string]; joined: string }[];
  /** For each unknown word those that some chunk has, the most likely first. */
  choices: Map<string, NearWord[]>;
}

async function propose(
  db: Database,
  scope: SearchScope,
  query: SearchQuery,
  unknown: readonly string[],
): Promise<Proposals> {
  const idOf = termIdIn(scope);
  const pairs = wordPairs(query.looseText)
    .filter(({ words }) => words.some((word) => unknown.includes(word)))
    .slice(0, MAX_PAIRS);
  const buckets = new Set(unknown.flatMap(bucketsNear));
  const words = await readWords(db, scope.workspaceId, [...buckets]);
  const near = unknown.map((word) => {
    const plain = withoutDigraphs(word);
    const other = plain === null ? [] : [{ word: plain, edits: 0, isInflection: true }];
    return [word, [...other, ...nearWords(word, words)]] as const;
  });
  const proposed = [
    ...pairs.map(({ joined }) => joined),
    ...near.flatMap(([, some]) => some.map(({ word }) => word)),
  ];
  const { df } = await readTermCounts(db, scope.workspaceId, proposed.map(idOf));
  return {
    pairs: pairs.filter(({ joined }) => df.has(idOf(joined))),
    choices: new Map(
      near.map(([word, some]) => [word, byLikelihood(some, (one) => df.get(idOf(one)) ?? 0)]),
    ),
  };
}

/** Other forms of the word first, then the nearest, of those the most frequent; without those that left the index. */
function byLikelihood(choices: readonly NearWord[], df: (word: string) => number): NearWord[] {
  return choices
    .filter(({ word }) => df(word) > 0)
    .sort(
      (a, b) =>
        Number(b.isInflection) - Number(a.isInflection) ||
        a.edits - b.edits ||
        df(b.word) - df(a.word),
    );
}

async function hasSynonyms(
  db: Database,
  { workspaceId }: SearchScope,
  word: string,
): Promise<boolean> {
  return (await synonymsOf(db, workspaceId, new Set([word]))).length > 0;
}

async function firstVisible(
  db: Database,
  scope: SearchScope,
  words: readonly string[],
  inTitle: boolean,
): Promise<string | null> {
  const idOf = termIdIn(scope);
  for (const word of words) {
    const isThere = inTitle
      ? await isInTitle(db, scope, stemWord(word))
      : (await visibleTerms(db, scope, [idOf(word)])).size > 0;
    if (isThere) return word;
  }
  return null;
}

/** The id of the term that a plain word is indexed as. */
function termIdIn({ workspaceId }: SearchScope): (word: string) => number {
  const salt = workspaceSalt(workspaceId);
  return (word) => termId(stemWord(word), salt);
}
