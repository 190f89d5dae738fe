import type { WorkspaceId } from '#src/ids.ts';
import { countTermIds, idf, termId, workspaceSalt } from '#src/documents/bm25.ts';
import { readTermCounts, type TermCounts } from '#src/documents/term-counts.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { Database } from '#src/platform/database.ts';
import { correctQuery, type Corrections, NO_CORRECTIONS } from './correct-query.ts';
import { inflectSynonyms } from './inflect-synonyms.ts';
import type { SearchQuery } from './parse-query.ts';
import { queryTermsOf } from './query-terms.ts';
import { type Synonym, synonymsOf, synonymTermsOf } from './synonyms.ts';
import { originsOf, type TermOrigin } from './term-origins.ts';
import { WORD_WEIGHTS } from './weights.ts';

/** What a query asks for, and how frequent it is. */
export interface AskedTerms {
  /** The terms of the query in order, those of its synonyms, and those of its compounds. */
  words: string[];
  /** Term → why it is asked for. */
  origins: ReadonlyMap<string, TermOrigin>;
  /** Term id → how often it is asked for: less than once for what was added to the query. */
  queryTerms: ReadonlyMap<number, number>;
  /** Those terms of the query that some chunk has, each with its idf in the workspace times how much it counts. */
  weights: ReadonlyMap<string, number>;
  counts: TermCounts;
}

export interface Asked {
  query: SearchQuery;
  /** Stems that an answer may have instead of words of the query → how much they count. */
  besides?: ReadonlyMap<string, number>;
}

/** What was read of the query as it was typed. */
export interface AskedAhead {
  synonyms: readonly Synonym[];
  counts: TermCounts;
  counted: ReadonlySet<number>;
}

/** Ids of the terms that a query asks for as it was typed, without its synonyms. */
export function plainTermIds({ query, besides = new Map() }: Asked, salt: number): number[] {
  const terms = [...queryTermsOf(query.text), ...tokenize(query.text), ...besides.keys()];
  return terms.map((term) => termId(term, salt));
}

/**
 * The terms of a query, with its misspelt words replaced.
 * @param ahead only without corrections
 */
export async function askedTerms(
  db: Database,
  workspaceId: WorkspaceId,
  { query, besides = new Map() }: Asked,
  corrections: Corrections = NO_CORRECTIONS,
  ahead: AskedAhead | null = null,
): Promise<AskedTerms> {
  const salt = workspaceSalt(workspaceId);
  const { guesses, forms, areAdded } = corrections;
  const { text, looseText } = correctQuery(query, new Map([...forms, ...guesses]));
  const synonyms =
    ahead?.synonyms ?? (await synonymsOf(db, workspaceId, new Set([query.looseText, looseText])));
  const inflected = await inflectSynonyms(db, workspaceId, synonyms);
  const widened = [...synonyms, ...inflected];
  const own = queryTermsOf(query.text);
  const words = areAdded ? withKept(queryTermsOf(text), own) : queryTermsOf(text);
  const named = withSynonyms(countTermIds(words, salt), widened, salt);
  const synonymTerms = withBesides(named, besides, salt);
  // The embedder weighs all words of the question.
  const weighed = [...tokenize(text), ...tokenize(query.text)].map((word) => termId(word, salt));
  const wanted = [...synonymTerms.keys(), ...weighed];
  const isCounted = ahead !== null && wanted.every((id) => ahead.counted.has(id));
  const counts = isCounted ? ahead.counts : await readTermCounts(db, workspaceId, wanted);
  const guessed = areAdded ? [...guesses.values()].flatMap(tokenize) : [];
  const shares = sharesOf(
    guessed.filter((term) => !own.includes(term)),
    own,
    counts,
    salt,
  );
  const queryTerms = new Map(
    Array.from(synonymTerms, ([id, count]) => [id, count * (shares.get(id) ?? 1)]),
  );
  return {
    words: [...words, ...widened.flatMap(synonymTermsOf)],
    origins: originsOf({ words, own, corrections, synonyms, inflected }),
    queryTerms,
    weights: weighTerms(words, counts, { salt, shares }),
    counts,
  };
}

/** Known parts of a pair that was taken for one word are still asked for. */
function withKept(words: readonly string[], own: readonly string[]): string[] {
  return [...words, ...own.filter((term) => !words.includes(term))];
}

/** How much of a term counts that was guessed: so much that the rarest known word still counts for more. */
function sharesOf(
  guessed: readonly string[],
  own: readonly string[],
  { df, chunks }: TermCounts,
  salt: number,
): Map<number, number> {
  const idfOf = (id: number) => idf(df.get(id) ?? 0, chunks);
  const known = own.map((term) => termId(term, salt)).filter((id) => df.has(id));
  const best = known.reduce((most, id) => Math.max(most, idfOf(id)), 0);
  return new Map(
    guessed.map((term) => {
      const id = termId(term, salt);
      const most = (WORD_WEIGHTS.correctionOfBest * best) / idfOf(id);
      return [id, Math.min(WORD_WEIGHTS.correction, most)];
    }),
  );
}

function weighTerms(
  terms: readonly string[],
  { df, chunks }: TermCounts,
  { salt, shares }: { salt: number; shares: ReadonlyMap<number, number> },
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of terms) {
    const id = termId(term, salt);
    const own = df.get(id) ?? 0;
    if (own > 0) weights.set(term, idf(own, chunks) * (shares.get(id) ?? 1));
  }
  return weights;
}

/** A synonym counts for a little less than the word itself; the words of a phrase share its weight. */
function withSynonyms(
  queryTerms: ReadonlyMap<number, number>,
  synonyms: readonly Synonym[],
  salt: number,
): Map<number, number> {
  const terms = new Map(queryTerms);
  for (const synonym of synonyms) {
    const added = countTermIds(synonymTermsOf(synonym), salt);
    const weight = WORD_WEIGHTS.synonym / Math.sqrt(Math.max(1, added.size));
    for (const id of added.keys()) if (!queryTerms.has(id)) terms.set(id, weight);
  }
  return terms;
}

function withBesides(
  queryTerms: ReadonlyMap<number, number>,
  besides: ReadonlyMap<string, number>,
  salt: number,
): Map<number, number> {
  const terms = new Map(queryTerms);
  for (const [stem, share] of besides) {
    const id = termId(stem, salt);
    if (!queryTerms.has(id)) terms.set(id, Math.max(share, terms.get(id) ?? 0));
  }
  return terms;
}
