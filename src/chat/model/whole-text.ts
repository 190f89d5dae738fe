const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/;

/** Text that arrives in pieces and leaves without halves of characters, and without NUL, which no database keeps. */
export class WholeText {
  #held = '';

  /** What can be shown of it now. */
  write(piece: string): string {
    const text = this.#held + piece.replaceAll('\0', '');
    this.#held = HIGH_SURROGATE_AT_END.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - this.#held.length).toWellFormed();
  }

  /** What was held back: half a character at the end becomes U+FFFD. */
  end(): string {
    const held = this.#held.toWellFormed();
    this.#held = '';
    return held;
  }
}
