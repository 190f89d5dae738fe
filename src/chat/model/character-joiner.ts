const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/;

/** Joins text that arrives in pieces into whole characters, without NUL, which the database cannot store. */
export class CharacterJoiner {
  #held = '';

  /** The part that can be shown now. */
  write(piece: string): string {
    const text = this.#held + piece.replaceAll('\0', '');
    this.#held = HIGH_SURROGATE_AT_END.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - this.#held.length).toWellFormed();
  }

  /** Flushes what was held back: half a character at the end becomes U+FFFD. */
  end(): string {
    const held = this.#held.toWellFormed();
    this.#held = '';
    return held;
  }
}
