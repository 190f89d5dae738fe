import { countTokens, takeTokens } from '#src/documents/count-tokens.ts';

/** A text that arrives in pieces and may have `maxTokens`. */
export class TokenMeter {
  readonly #maxTokens: number;
  #text = '';
  /** Never less than the tokens of `#text`: a character is a token at most. */
  #tokensAtMost = 0;
  #isFull = false;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  get text(): string {
    return this.#text;
  }

  /** More would not fit. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Adds what fits of `piece`, and returns that. */
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
