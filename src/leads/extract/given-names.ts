import { readFileSync } from 'node:fs';

/** Before a name that is also an ordinary word or a place: "~rose", "~victoria". */
const ORDINARY = '~';

interface GivenNames {
  /** Words that are hardly anything but given names. */
  known: ReadonlySet<string>;
  ordinary: ReadonlySet<string>;
}

let givenNames: GivenNames | null = null;

/** Whether a word in `plainLetters` is a given name in some language. */
export function isGivenName(word: string): boolean {
  givenNames ??= readGivenNames();
  return givenNames.known.has(word);
}

/** Whether a word in `plainLetters` is a given name, and an ordinary word or a place as well. */
export function isOrdinaryGivenName(word: string): boolean {
  givenNames ??= readGivenNames();
  return givenNames.ordinary.has(word);
}

/**
 * 37,000 names of some 90 languages and regions, in `plainLetters`, one line for each initial letter. Most are those of
 * Faker for JavaScript 10.6 and for Python 40.40 (both MIT); those that a dictionary of 22 languages has in lower case
 * as well, and that few languages share, are marked as ordinary.
 */
function readGivenNames(): GivenNames {
  const text = readFileSync(new URL('given-names.txt', import.meta.url), 'utf8');
  const [ordinary, known] = [new Set<string>(), new Set<string>()];
  for (const line of text.split('\n')) {
    for (const word of line.split(' ')) {
      if (word.startsWith(ORDINARY)) ordinary.add(word.slice(ORDINARY.length));
      else if (word !== '') known.add(word);
    }
  }
  return { known, ordinary };
}
