import { isGivenName, isOrdinaryGivenName } from './given-names.ts';
import { readPersonName, wordsOfName } from './person-name.ts';
import { plainLetters } from './role-lexicon.ts';

/** Words with capitals, with particles and a nickname between them; not from the middle of "Dipl.-Ing.". */
export const CAPITALISED_RUN =
  /(?<!\.[-‑])(?:(?:\p{Lu}\.){2,4}|\p{Lu}[\p{L}\p{M}'’-]*\.?ª?)(?: (?:(?:van|von|de|der|den|di|da|du|la|le|del|dos|el|bin|al|ter|zu|y|e) ){0,2}(?:[“"„]\p{Lu}\p{L}{1,12}[”“"] )?\p{Lu}[\p{L}\p{M}'’-]*\.?){1,7}/gu;
const LEGAL_FORM =
  '(?:GmbH|mbH|AG|KG|OHG|GbR|UG|e\\.\\s?[KV]|Ltd|Limited|LLC|LLP|Inc|Corp|PLC|S\\.?\\s?r\\.?\\s?l|S\\.?\\s?p\\.?\\s?A|S\\.?\\s?n\\.?\\s?c|SARL|SAS|S\\.\\s?L|S\\.\\s?A|Lda|B\\.?\\s?V|N\\.?\\s?V|ApS|A/S|AS|AB|Oy|Sp\\.\\s?z|s\\.\\s?r\\.\\s?o|a\\.\\s?s\\.|Kft|Bt|Zrt|SRL|Ltd\\.? Şti|A\\.\\s?Ş|Ο\\.\\s?Ε|Α\\.\\s?Ε)(?![\\p{L}])';
/** After the name of a firm, and after a code: "IBAN DE12". */
const NO_NAME_BEFORE = new RegExp(`^(?:,?\\s${LEGAL_FORM}|\\d)`, 'u');
const FIRM = new RegExp(
  `(\\p{Lu}[\\p{L}&-]*(?: (?:& )?\\p{Lu}[\\p{L}&-]*){0,4}),?\\s${LEGAL_FORM}`,
  'u',
);
const MAX_WORDS_OF_NAME = 5;
const LONGEST_GIVEN = 40;
/** A single word with a capital, and "and", before a name. */
const GIVEN_BEFORE =
  /(?<!\p{Lu}[\p{L}\p{M}’'.-]* )(?<![\p{L}\p{M}.-])(?<word>\p{Lu}[\p{L}\p{M}-]+) (?:&|und|and|et|y|e|i|en|og|och|a|és|ja|și|ve|και|и|та|oraz) $/u;

export interface NameInText {
  name: string;
  /** Its offsets in the text. */
  from: number;
  to: number;
}

/** The names in a text that do not overlap, in its order. */
export function namesInText(text: string): NameInText[] {
  const found: NameInText[] = [];
  for (const run of text.matchAll(CAPITALISED_RUN)) {
    const inRun: NameInText[] = [];
    // The longest come first, so a name that overlaps another is part of it.
    for (const { name, start } of namesWithin(run[0])) {
      const [from, to] = [run.index + start, run.index + start + name.length];
      if (inRun.every((other) => from >= other.to || to <= other.from)) {
        inRun.push({ name, from, to });
      }
    }
    const ordered = inRun.toSorted((a, b) => a.from - b.from);
    const spouse = ordered[0] ? namesake(text, ordered[0]) : null;
    found.push(...(spouse ? [spouse, ...ordered] : ordered));
  }
  return found.filter(({ to }) => !NO_NAME_BEFORE.test(text.slice(to, to + 30)));
}

/** Jane Doe in "Jane and John Doe". */
function namesake(text: string, { name, from }: NameInText): NameInText | null {
  const given = GIVEN_BEFORE.exec(text.slice(Math.max(0, from - LONGEST_GIVEN), from));
  const [first = '', ...rest] = wordsOfName(name);
  const word = given?.groups?.['word'] ?? '';
  if (!given || rest.length === 0 || !areGiven(first, word)) return null;
  const start = from - given[0].length + given[0].indexOf(word);
  return { name: `${word} ${rest.join(' ')}`, from: start, to: start + word.length };
}

/** Two given names, of which one may be an ordinary word: "Kylie and Dean Doe". */
function areGiven(...words: string[]): boolean {
  const parts = words.map((word) => plainLetters(word).split('-'));
  const isGiven = (part: string): boolean => isGivenName(part) || isOrdinaryGivenName(part);
  return (
    parts.some((word) => word.every(isGivenName)) && parts.every((word) => word.every(isGiven))
  );
}

/** Adjacent words that form a name, the longest sequence first. */
export function* namesWithin(run: string): Generator<{ name: string; start: number }> {
  const words = [...run.matchAll(/\S+/g)];
  for (let size = Math.min(MAX_WORDS_OF_NAME, words.length); size >= 2; size -= 1) {
    for (let first = 0; first + size <= words.length; first += 1) {
      const start = words[first]?.index ?? 0;
      const last = words[first + size - 1];
      // "Jane Doe y John" and "Doe y John Smith" of "Jane Doe y John Smith"
      const isAnd = (at: number): boolean => /^[eyi]$/u.test(words[at]?.[0] ?? '');
      if (first + size < words.length && isAnd(first + size - 2)) continue;
      if (isAnd(first + size - 1) || (first > 0 && isAnd(first + 1))) continue;
      const written = run
        .slice(start, (last?.index ?? 0) + (last?.[0].length ?? 0))
        .replace(/\.$/, '');
      // Without a form of address before it.
      const name = /^\p{Lu}/u.test(written) ? readPersonName(written) : null;
      if (name !== null && written.endsWith(name)) {
        yield { name, start: start + written.length - name.length };
      }
    }
  }
}

/** The first firm that a text names with its legal form, and the offset of its name. */
export function firmIn(text: string): { name: string; at: number } | null {
  const firm = FIRM.exec(text);
  return firm ? { name: firm[1] ?? '', at: firm.index } : null;
}
