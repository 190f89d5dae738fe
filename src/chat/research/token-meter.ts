import { countTokens, takeTokens } from '#src/documents/count-tokens.ts';

/** A text that arrives in pieces, limited to `maxTokens`. */
export class TokenMeter {
  readonly #maxTokens: number;
  #text = '';
  /** An upper limit on the tokens of `#text`: a token has at least one character. */
  #tokensAtMost = 0;
  #isFull = false;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  get text(): string {
    return this.#text;
  }

  /** The limit has been reached. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Adds the part of `piece` that fits, and returns it. */
  take(piece: string): string {
    if (this.#isFull) return '';
    const whole = this.#text + piece;
    this.#tokensAtMost += piece.length;
    if (this.#tokensAtMost > this.#maxTokens) this.#tokensAtMost = countTokens(whole);
    this.#isFull = this.#tokensAtMost > this.#maxTokens;
    const end = this.#isFull ? takeTokens(whole, 0, whole.length, this.#maxTokens) : whole.length;
    const kept = whole.slice(this.#text.length, end);
    this.#text += kept;
    return kept;
  }
}
