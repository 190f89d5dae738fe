import { tokenize } from '#src/documents/tokenize.ts';
import type { Corrections } from './correct-query.ts';
import { type Synonym, synonymTermsOf } from './synonyms.ts';

export const ORIGINS = [
  'query',
  'form',
  'correction',
  'synonym',
  'synonym_form',
  'compound',
] as const;

/** Why a term is searched for. */
export interface TermOrigin {
  /**
   * `form`: a word of the query in another inflection or spelling; `synonym_form`: a synonym so, which may be a word that
   * only others may see.
   */
  kind: (typeof ORIGINS)[number];
  /** The words of the query that it stands for; null for the query's own. */
  of: string | null;
}

interface Asked {
  /** Terms of the query with its words replaced. */
  words: readonly string[];
  /** Terms of the query as it was typed. */
  own: readonly string[];
  corrections: Corrections;
  synonyms: readonly Synonym[];
  inflected: readonly Synonym[];
}

/** Why each of the terms is asked for that come from the query, its corrections and its synonyms. */
export function originsOf({
  words,
  own,
  corrections: { forms, guesses },
  synonyms,
  inflected,
}: Asked): Map<string, TermOrigin> {
  const origins = new Map<string, TermOrigin>();
  for (const term of words) origins.set(term, { kind: 'query', of: null });
  const replaced = [
    ...Array.from(forms, ([typed, meant]) => ({ kind: 'form', typed, meant }) as const),
    ...Array.from(guesses, ([typed, meant]) => ({ kind: 'correction', typed, meant }) as const),
  ];
  for (const { kind, typed, meant } of replaced) {
    for (const term of tokenize(meant)) {
      if (!own.includes(term)) origins.set(term, { kind, of: typed });
    }
  }
  const added = [
    ...synonyms.map((one) => ({ ...one, kind: 'synonym' }) as const),
    ...inflected.map((one) => ({ ...one, kind: 'synonym_form' }) as const),
  ];
  for (const { kind, of, phrase } of added) {
    for (const term of synonymTermsOf({ phrase, of })) {
      if (!origins.has(term)) origins.set(term, { kind, of });
    }
  }
  return origins;
}
