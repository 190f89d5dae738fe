import { isGivenName } from './given-names.ts';
import { ALSO } from './joined-names.ts';
import { nameEvidence } from './name-evidence.ts';
import { readPersonName, wordsOfName } from './person-name.ts';
import { plainLetters } from './role-lexicon.ts';

const AND = String.raw`\s+(?:&|${ALSO})\s+`;
const BETWEEN_NAMES = new RegExp(String.raw`\s*[/,;]\s*|${AND}`, 'u');
/** "Jane & John Doe" */
const COUPLE = new RegExp(String.raw`^(\p{Lu}[\p{L}\p{M}-]+)${AND}(.+)$`, 'u');
const LONGEST_COUPLE = 80;

/** "Jane Doe / John Smith", "Jane Doe, John Smith und Mary Jones", "Jane & John Doe": known names and nothing else. */
export function severalNames(text: string): string[] {
  const names = text.split(BETWEEN_NAMES).map(readPersonName);
  const known = names.filter((name) => name !== null && nameEvidence(name) === 'known');
  if (known.length > 1 && known.length === names.length)
    return known.filter((name) => name !== null);
  return couple(text);
}

/** Two who share a surname. */
function couple(text: string): string[] {
  const [, given = '', written = ''] = COUPLE.exec(text.slice(0, LONGEST_COUPLE)) ?? [];
  const name = readPersonName(written);
  const [first = '', ...surname] = name === null ? [] : wordsOfName(name);
  if (name === null || surname.length === 0 || ![given, first].every(isKnown)) return [];
  return [`${given} ${surname.join(' ')}`, name];
}

function isKnown(word: string): boolean {
  return word.split('-').every((part) => isGivenName(plainLetters(part)));
}
