import { MAX_LINK_LENGTH } from './read-link.ts';
import { CitationScanner, type CitationMark, type CitationToken } from './scan-citations.ts';

const START_BEFORE = /(?:^|\s)$/;

/** A piece of a finished answer: text, or one of its citations. */
export type AnswerPiece =
  | { kind: 'text'; text: string }
  | { kind: 'citation'; number: number; text: string };

/**
 * Finds the citations that `CitationWriter` put into an answer, `[[n]](link)`, in pieces as they arrive. A lookalike in
 * code or inside a word is not one of them.
 */
export class WrittenCitations {
  readonly #scanner = new CitationScanner(MAX_LINK_LENGTH);
  readonly #isCited: (number: number) => boolean;
  #isAdjacent = false;

  /** @param isCited whether the answer has announced a citation of this number */
  constructor(isCited: (number: number) => boolean) {
    this.#isCited = isCited;
  }

  read(text: string): AnswerPiece[] {
    return this.#scanner.read(text).flatMap((token) => this.#pieceOf(token));
  }

  /** Flushes what was held back. */
  end(): AnswerPiece[] {
    return this.#scanner.end().flatMap((token) => this.#pieceOf(token));
  }

  #pieceOf(token: CitationToken): AnswerPiece[] {
    if (token.kind === 'label') return [];
    const number = token.kind === 'mark' ? this.#numberOf(token) : null;
    this.#isAdjacent = number !== null;
    const text = token.kind === 'mark' ? token.raw : token.text;
    return [number === null ? { kind: 'text', text } : { kind: 'citation', number, text }];
  }

  #numberOf({ raw, numbers, target, before }: CitationMark): number | null {
    const [number] = numbers;
    const stands = this.#isAdjacent || START_BEFORE.test(before);
    if (number === undefined || target === null || !raw.startsWith('[[') || !stands) return null;
    return this.#isCited(number) ? number : null;
  }
}

/** The answer without its citations: every `[[n]](…)` is removed with the white space before it. */
export function removeCitations(
  answer: string,
  isCited: (number: number) => boolean = () => true,
): string {
  const citations = new WrittenCitations(isCited);
  let kept = '';
  let segment: string[] = [];
  for (const piece of [...citations.read(answer), ...citations.end()]) {
    if (piece.kind === 'text') {
      segment.push(piece.text);
      continue;
    }
    kept += segment.join('').trimEnd();
    segment = [];
  }
  return kept + segment.join('');
}
