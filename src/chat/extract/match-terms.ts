import { DOCUMENT_STEMS } from './document-words.ts';
import { namesMeasure } from './asked-value.ts';
import { FORMS_OF_ANOTHER, NEAR_STEMS, NEAR_WORDS, SAME_WORD_STEMS } from './everyday-words.ts';
import { isTypo } from './is-typo.ts';
import { amountStem } from './read-candidates.ts';
import type { AskedTerm, Question } from './read-question.ts';

const SAME_WORD = 1;
const JOINED = 1;
const DERIVED = 0.85;
const TYPO = 0.9;
const NEAR = 0.7;
/** By what documents say for an everyday word. */
const SAID = 0.7;
/** A match by an amount, for questions about price, weight and the like. */
const AMOUNT = 0.85;
const ALL_PARTS = 0.95;

/** Suffixes that a derived form adds to the stem of a shorter word, and to a stem that has lost its vowel. */
const DERIVATION =
  /^(?:u?r|ment|al|er|or|li|ly|y|i|abl|ibl|anc|enc|ion|ation|iti|ity|ness|nes|ful|less|ship|ag|iv|ic|ist|ism|e|s|es|ed|ing)$/;
const VOWEL_DERIVATION = /^(?:ation|ion|al|er|or|abl|ibl|anc|enc|ing|iv|ur|iti|ic|ist)$/;
const MIN_DERIVED_LENGTH = 4;

/** Stem → how well it matches the asked term, 0 to 1. */
export type Alternatives = ReadonlyMap<string, number>;

/**
 * The words of a vocabulary (word → stem) that match each asked term: the word itself, other forms, near synonyms, and
 * the intended word of a misspelling.
 * @param isKnown whether any document contains this term: a known term is not misspelled
 */
export function matchTerms(
  { terms, value }: Question,
  vocabulary: ReadonlyMap<string, string>,
  isKnown: (term: AskedTerm) => boolean,
): Alternatives[] {
  const stems = new Set(vocabulary.values());
  return terms.map((term) => {
    const found = new Map<string, number>();
    const add = (stem: string, strength: number): void => {
      if (stems.has(stem)) found.set(stem, Math.max(strength, found.get(stem) ?? 0));
    };
    add(term.stem, 1);
    if (value.measure !== null && namesMeasure(term.word, value.measure)) {
      add(amountStem(value.measure), AMOUNT);
    }
    for (const stem of term.joined) add(stem, JOINED);
    for (const stem of SAME_WORD_STEMS.get(term.stem) ?? []) add(stem, SAME_WORD);
    if (!term.isName) {
      for (const own of [term.stem, ...term.joined]) {
        for (const stem of NEAR_STEMS.get(own) ?? []) add(stem, NEAR);
      }
      for (const stem of term.phrasal) add(stem, NEAR);
      for (const stem of DOCUMENT_STEMS.get(term.stem) ?? []) add(stem, SAID);
      for (const stem of stems) if (isDerived(stem, term.stem)) add(stem, DERIVED);
    }
    if (found.size === 0 && !isKnown(term)) {
      for (const [word, stem] of vocabulary) if (isTypo(term.word, word)) add(stem, TYPO);
      // The intended word may occur only in other forms.
      for (const [word, near] of found.size === 0 ? NEAR_WORDS : []) {
        if (isTypo(term.word, word)) for (const stem of near) add(stem, NEAR * TYPO);
      }
    }
    return found;
  });
}

/** How well a set of stems matches a term. */
export function strengthIn(
  stems: ReadonlySet<string>,
  term: AskedTerm,
  alternatives: Alternatives,
): number {
  let best = 0;
  for (const [stem, strength] of alternatives) {
    if (strength > best && stems.has(stem)) best = strength;
  }
  if (best > 0 || term.parts.length === 0) return best;
  const held = term.parts.filter((part) => stems.has(part)).length;
  return held === term.parts.length ? ALL_PARTS : 0;
}

const withoutMark = (stem: string): string => stem.replace(/'$/, '');
const byLength = (one: string, other: string): number => one.length - other.length;

function isDerived(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other].map(withoutMark).toSorted(byLength);
  // A founder is who founded, not who found.
  if (FORMS_OF_ANOTHER.has(one) || FORMS_OF_ANOTHER.has(other)) return false;
  if (short.length < MIN_DERIVED_LENGTH || short.length === long.length) return false;
  if (long.startsWith(short)) return DERIVATION.test(long.slice(short.length));
  const cut = short.slice(0, -1);
  return (
    /[ei]$/.test(short) && long.startsWith(cut) && VOWEL_DERIVATION.test(long.slice(cut.length))
  );
}
