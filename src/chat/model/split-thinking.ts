const NAMES = ['think', 'thinking', 'thought'] as const;
const OPENING = NAMES.map((name) => `<${name}>`);
/** Content that begins with reasoning. */
export const THINKING_START = /^\s*<(?:think|thinking|thought)>/;

export interface ThinkingPiece {
  type: 'reasoning' | 'text';
  text: string;
}

/**
 * Separates the reasoning that models write into their answer, between `<think>` and `</think>`, from the answer. It
 * comes at the beginning, once or several times; after the first word of the answer, a tag is part of the text.
 */
export class ThinkingSplitter {
  #state: 'start' | 'thinking' | 'text' = 'start';
  #closing = '';
  /** Text that is still undecided. */
  #held = '';
  /** Everything after the last opening tag. */
  #thought = '';

  write(delta: string): ThinkingPiece[] {
    const pieces: ThinkingPiece[] = [];
    this.#held += delta;
    for (;;) {
      const before = this.#state;
      const piece = before === 'text' ? this.#takeText() : this.#takeStart(before);
      if (piece !== null) pieces.push(piece);
      if (this.#state === before) return pieces;
    }
  }

  /**
   * Flushes what was held back. An answer that opened its reasoning and never closed it is all reasoning, unless it
   * ended by itself (`isComplete`) and contains nothing else: then it is the answer.
   */
  end(isComplete: boolean): ThinkingPiece[] {
    const rest = this.#held;
    this.#held = '';
    if (this.#state !== 'thinking') return rest.trim() === '' ? [] : [{ type: 'text', text: rest }];
    this.#thought += rest;
    const pieces: ThinkingPiece[] = rest === '' ? [] : [{ type: 'reasoning', text: rest }];
    if (isComplete && this.#thought.trim() !== '')
      pieces.push({ type: 'text', text: this.#unclosed() });
    this.#state = 'text';
    return pieces;
  }

  /** Reasoning starts on a new line; in an answer about the tag, text follows it. */
  #unclosed(): string {
    const opening = this.#closing.replace('/', '');
    return this.#thought.startsWith('\n') ? this.#thought.trimStart() : opening + this.#thought;
  }

  #takeText(): ThinkingPiece | null {
    const text = this.#held;
    this.#held = '';
    return text === '' ? null : { type: 'text', text };
  }

  #takeStart(state: 'start' | 'thinking'): ThinkingPiece | null {
    if (state === 'thinking') return this.#takeThought();
    const begun = this.#held.trimStart();
    const opening = OPENING.find((tag) => begun.startsWith(tag));
    if (opening !== undefined) {
      this.#held = begun.slice(opening.length);
      this.#closing = opening.replace('<', '</');
      this.#thought = '';
      this.#state = 'thinking';
    } else if (!OPENING.some((tag) => tag.startsWith(begun))) this.#state = 'text';
    return null;
  }

  #takeThought(): ThinkingPiece | null {
    const end = this.#findClosing();
    if (end !== null) {
      const text = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + this.#closing.length);
      this.#state = 'start';
      return text === '' ? null : { type: 'reasoning', text };
    }
    const sure = this.#held.length - this.#uncertain();
    const text = this.#held.slice(0, sure);
    this.#thought += text;
    this.#held = this.#held.slice(sure);
    return text === '' ? null : { type: 'reasoning', text };
  }

  /** A model may mention the tag in its reasoning: in inline code it closes nothing. */
  #findClosing(): number | null {
    let at = this.#held.indexOf(this.#closing);
    while (at !== -1) {
      const after = at + this.#closing.length;
      const isQuoted = this.#held[at - 1] === '`';
      if (!isQuoted) return at;
      if (after === this.#held.length) return null;
      if (this.#held[after] !== '`') return at;
      at = this.#held.indexOf(this.#closing, after);
    }
    return null;
  }

  /** How many trailing characters may be the beginning of a closing tag, including a quote before it. */
  #uncertain(): number {
    const longest = Math.min(this.#held.length, this.#closing.length + 1);
    for (let length = longest; length > 0; length -= 1) {
      const tail = this.#held.slice(-length);
      if (`\`${this.#closing}`.startsWith(tail) || this.#closing.startsWith(tail)) return length;
    }
    return 0;
  }
}
