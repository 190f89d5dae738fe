import { isGivenName, isOrdinaryGivenName } from './given-names.ts';
import { PARTICLES } from './name-words.ts';
import { wordsOfName } from './person-name.ts';
import { plainLetters } from './role-lexicon.ts';

/**
 * What the words of a possible name say: `known` when it begins with a given name, `unknown` when none of them speaks
 * for a person, else `unsure`: initials, given names that are ordinary words, a surname in front, surnames by their
 * form, and scripts of which few names are known.
 */
export type NameEvidence = 'known' | 'unsure' | 'unknown';

/** Names with a known given name in a place, at least, and for each one without. */
const MIN_KNOWN = 2;
const KNOWN_FOR_UNKNOWN = 3;
/** Shorter words before a name are surnames. */
const SHORTEST_LEAD = 5;
/** The scripts of which most given names are known. */
const COVERED = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;
const SURNAME =
  /\p{L}{2}(?:ova|sson|dottir|wicz|[cdnsz]k[ai]|escu|poulos|poulou|πουλος|πουλου|ιδης|ακης|shvili|oglu|enko|енко|chuk|чук|yan|ovic|evic|ович|евич|[ое]ва?)$|^(?:o['’]|mc\p{L}{3}|fitz\p{L}{3})/u;
const PARTICLE_OF_SURNAME =
  /^(?:van|von|ni|nic|ui|mac|o|te|ter|ten|af|av|ben|bin|bint|ibn|abu|ap|ferch)$/u;

export function nameEvidence(name: string): NameEvidence {
  const words = wordsOfName(name).map(plainLetters);
  const [first = [], ...more] = words.filter((word) => !PARTICLES.has(word)).map(partsOf);
  if (first.some(isGivenName)) return 'known';
  const [lead = ''] = first;
  if (lead.length <= 1 || !COVERED.test(lead) || first.some(isOrdinaryGivenName)) return 'unsure';
  const isSurnameLike =
    words.some((word) => PARTICLE_OF_SURNAME.test(word)) ||
    more.some((parts) => parts.some((part) => isGivenName(part) || SURNAME.test(part)));
  return isSurnameLike ? 'unsure' : 'unknown';
}

/**
 * The word before a name that is no part of it, such as a role: "Byggnadsinspektör Jane Doe". A given name comes second
 * then, and no other at the end, as in "Nagy Anna Mária".
 */
export function wordBeforeName(name: string): string | null {
  const [lead = '', second = '', ...more] = name.split(' ');
  if (more.length === 0 || lead.length < SHORTEST_LEAD || name.includes(',')) return null;
  const leads = partsOf(plainLetters(lead));
  if (leads.some((part) => isGivenName(part) || isOrdinaryGivenName(part))) return null;
  return isKnown(second) && !isKnown(more.at(-1) ?? '') ? lead : null;
}

/** A name without such a word before it. */
export function withoutWordBefore(name: string): string {
  const word = wordBeforeName(name);
  return word === null ? name : name.slice(word.length + 1);
}

/**
 * Whether the texts in one place are names of people; then those without a known given name are names as well. Equal
 * texts count once.
 */
export function areMostlyNames(texts: readonly string[]): boolean {
  const counts: Record<NameEvidence, number> = { known: 0, unsure: 0, unknown: 0 };
  for (const text of new Set(texts)) counts[nameEvidence(text)] += 1;
  return counts.known >= Math.max(MIN_KNOWN, KNOWN_FOR_UNKNOWN * counts.unknown);
}

function isKnown(word: string): boolean {
  return partsOf(plainLetters(word)).some(isGivenName);
}

/** "Jean-Pierre" is two names. */
function partsOf(word: string): string[] {
  return word
    .split(/[-‑]/u)
    .map((part) => part.replace(/[^\p{L}\p{M}'’]+|ª/gu, ''))
    .filter((part) => part !== '');
}
