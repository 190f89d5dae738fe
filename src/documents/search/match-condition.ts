import { foldWord } from '#src/documents/fold-word.ts';
import { holdsPhrase, phraseForm } from '#src/documents/match-phrase.ts';
import { bareLetter, splitAtSpecials } from '#src/documents/special-words.ts';
import { stemWord } from '#src/documents/expand-word.ts';
import { normalizeText } from '#src/platform/normalize-text.ts';
import type { QueryCondition } from './parse-query.ts';

/** A word of a text; a version or a symbol with all words that it is found by. */
type Token = string | readonly string[];

/**
 * A text that conditions are compared with: its words in order, without accents. Each form of it is made when a
 * condition asks for it.
 */
export class ComparedText {
  readonly #text: string;
  #words: string | null = null;
  #stems: string | null = null;
  #tokens: readonly Token[] | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  get words(): string {
    return (this.#words ??= foldWord(phraseForm(this.#text)));
  }

  get stems(): string {
    return (this.#stems ??= this.words.split(' ').map(stemWord).join(' '));
  }

  get tokens(): readonly Token[] {
    return (this.#tokens ??= tokensOf(this.#text));
  }
}

/**
 * Whether a text has the words of the condition, one after the other: a phrase as they are, other words in any
 * inflection. `2.14.3`, `C++` and `.NET` are compared whole: `"2.14"` is in `2.14.3`, but not in `3.2.14`.
 */
export function conditionTest({
  text,
  isPhrase,
}: Pick<QueryCondition, 'text' | 'isPhrase'>): (compared: ComparedText) => boolean {
  const wanted = new ComparedText(text);
  if (hasSpecialWords(text)) {
    const tokens = wanted.tokens.map((token) => (isWord(token) ? token : (token[0] ?? '')));
    return (compared) => holdsTokens(compared.tokens, tokens, isPhrase);
  }
  return isPhrase
    ? (compared) => holdsPhrase(compared.words, wanted.words)
    : (compared) => holdsPhrase(compared.stems, wanted.stems);
}

/**
 * Whether a text has versions, symbols or emoji, which its plain words do not tell apart from others; or is a letter
 * that has another meaning with a symbol.
 */
export function hasSpecialWords(text: string): boolean {
  const normal = normalizeText(text, 'NFKC');
  return splitAtSpecials(normal).length > 1 || bareLetter(phraseForm(normal)) !== null;
}

function holdsTokens(
  text: readonly Token[],
  wanted: readonly string[],
  isPhrase: boolean,
): boolean {
  const isSame = (token: Token | undefined, word: string): boolean => {
    if (token === undefined) return false;
    if (!isWord(token)) return token.includes(word);
    return isPhrase ? token === word : stemWord(token) === stemWord(word);
  };
  return text.some((_, start) => wanted.every((word, at) => isSame(text[start + at], word)));
}

function tokensOf(text: string): Token[] {
  return splitAtSpecials(normalizeText(text, 'NFKC')).flatMap((piece): Token[] =>
    typeof piece === 'string' ? plainWords(piece) : [piece.words],
  );
}

function plainWords(text: string): string[] {
  const form = foldWord(phraseForm(text));
  return form === '' ? [] : form.split(' ');
}

function isWord(token: Token): token is string {
  return typeof token === 'string';
}
