/** A half-open range of UTF-16 offsets. */
export interface Span {
  start: number;
  end: number;
}

/**
 * How good a place the beginning of a block is for a new chunk. A heading's value grows with its rank
 * (`headingStrength`), the others are fixed.
 */
export const STRENGTH = {
  none: 0,
  word: 1,
  line: 2,
  sentence: 3,
  row: 4,
  paragraph: 5,
  heading: 6,
};

export function headingStrength(level: number): number {
  return STRENGTH.heading + (6 - level) / 10;
}

/** A piece of a section that its markup holds together. Blocks are in order, do not overlap and are not blank at their ends. */
export interface Block extends Span {
  strength: number;
  /** The headings above the block, outermost first; of a heading, itself too. */
  headings: readonly string[];
  /** Where the header row of the table stands that this row belongs to. */
  tableHeader: Span | null;
}

export interface SizedBlock extends Block {
  tokens: number;
}

const MAX_HEADING_LENGTH = 200;

/** The headings in force while a section is read from top to bottom. */
export class HeadingPath {
  #levels: number[] = [];
  #texts: readonly string[] = [];

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Enters a heading of `level` 1–6: it ends those of its own and lower rank. */
  enter(level: number, text: string): readonly string[] {
    const kept = this.#levels.findLastIndex((above) => above < level) + 1;
    const short = text.replace(/\s+/g, ' ').trim().slice(0, MAX_HEADING_LENGTH).toWellFormed();
    this.#levels = [...this.#levels.slice(0, kept), level];
    this.#texts = [...this.#texts.slice(0, kept), short];
    return this.#texts;
  }
}
