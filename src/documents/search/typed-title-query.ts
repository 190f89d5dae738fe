import type { WorkspaceId } from '#src/ids.ts';
import { expandWord, isUnspaced, stemWord } from '#src/documents/expand-word.ts';
import { foldWord } from '#src/documents/fold-word.ts';
import { splitAtSpecials } from '#src/documents/special-words.ts';
import { titleLexeme } from '#src/documents/title-words.ts';
import { WORD_PATTERN } from '#src/documents/tokenize.ts';
import { normalizeText } from '#src/platform/normalize-text.ts';
import { withoutDigraphs } from './near-words.ts';
import type { TypedPart } from './read-typed.ts';

/** Words of what was typed that are looked up, the last ones. */
const MAX_TYPED_WORDS = 10;
/** `C+` and `.ne`, on the way to `C++` and `.NET`. */
const BEGUN_SYMBOL = /(?<![\p{L}\p{N}])(?:(?<letter>[A-Za-z])\+|\.ne?)$/iu;

/** A word, a version or a symbol: words that the index has for it, of which one must be in the title. */
interface Wanted {
  any: string[];
  /** Instead, all of these: the parts of an identifier, or of a word in a script without spaces. */
  all: string[];
  isPrefix: boolean;
}

/**
 * A `tsquery` for titles that have all these words, the last one begun at least, and none of those that are excluded;
 * null when nothing is asked for. A word in any inflection that the index knows, with or without its accents.
 */
export function typedTitleQuery(
  workspaceId: WorkspaceId,
  parts: readonly TypedPart[],
): string | null {
  // Of an excluded phrase, only the text tells.
  const usable = parts.filter(({ isExcluded, isPhrase }) => !isExcluded || !isPhrase);
  const wanted = usable
    .flatMap((part) => wantedOf(part).map((one) => ({ ...one, isExcluded: part.isExcluded })))
    .slice(-MAX_TYPED_WORDS);
  if (wanted.every(({ isExcluded }) => isExcluded)) return null;
  return wanted
    .map((one) => `${one.isExcluded ? '!' : ''}(${expressionOf(workspaceId, one)})`)
    .join(' & ');
}

function wantedOf({ text, isBegun }: TypedPart): Wanted[] {
  const normal = normalizeText(text, 'NFKC');
  const symbol = isBegun ? BEGUN_SYMBOL.exec(normal) : null;
  const whole = symbol === null ? normal : normal.slice(0, symbol.index);
  const wanted = splitAtSpecials(whole).flatMap((piece): Wanted[] =>
    typeof piece === 'string'
      ? (piece.match(WORD_PATTERN) ?? []).flatMap(wordsWanted)
      : [{ any: piece.words.slice(0, 1), all: [], isPrefix: false }],
  );
  if (symbol !== null) {
    const { letter } = symbol.groups ?? {};
    const begun = letter === undefined ? 'dotnet' : `${letter.toLowerCase()}+`;
    return [...wanted, { any: [begun], all: [], isPrefix: true }];
  }
  const last = wanted.at(-1);
  if (last) last.isPrefix = isBegun && /[\p{L}\p{M}\p{N}+#]$/u.test(normal);
  return wanted;
}

function wordsWanted(written: string): Wanted[] {
  const { words } = expandWord(written);
  if (words.some(isUnspaced)) return [{ any: [], all: [...words], isPrefix: false }];
  const [whole, ...parts] = words;
  return whole === undefined ? [] : [{ any: [whole], all: parts, isPrefix: false }];
}

function expressionOf(workspaceId: WorkspaceId, { any, all, isPrefix }: Wanted): string {
  const lexeme = (word: string) => titleLexeme(workspaceId, word, { isPrefix });
  const exact = (word: string) => titleLexeme(workspaceId, word, { isPrefix: false });
  const choices = any.flatMap((word) =>
    (isPrefix ? beginningsOf(word) : formsOf(word)).map(lexeme),
  );
  const parts = all.map((word, at) => (at === all.length - 1 ? lexeme(word) : exact(word)));
  if (parts.length > 0) choices.push(`(${parts.join(' & ')})`);
  return choices.join(' | ');
}

/** The index has each word as it stands, without accents, and their stems. */
function formsOf(word: string): string[] {
  const folded = foldWord(word);
  return [
    ...new Set(
      [word, folded, withoutDigraphs(word) ?? word].flatMap((form) => [form, stemWord(form)]),
    ),
  ];
}

function beginningsOf(word: string): string[] {
  return [...new Set([word, foldWord(word), withoutDigraphs(word) ?? word])];
}
