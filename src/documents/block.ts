/** A half-open range of UTF-16 offsets. */
export interface Span {
  start: number;
  end: number;
}

/**
 * How suitable the start of a block is as the start of a chunk. A heading's value grows with its rank
 * (`headingStrength`); the others are fixed.
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

/** A unit of a section's markup. Blocks are in order, do not overlap, and neither start nor end with white space. */
export interface Block extends Span {
  strength: number;
  /** The headings above the block, outermost first; for a heading block, including itself. */
  headings: readonly string[];
  /** The header row of the table that this row belongs to. */
  tableHeader: Span | null;
}

export interface SizedBlock extends Block {
  tokens: number;
}

const MAX_HEADING_LENGTH = 200;

/** The current headings while a section is read from top to bottom. */
export class HeadingPath {
  #levels: number[] = [];
  #texts: readonly string[] = [];

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Enters a heading of `level` 1–6, which ends the headings of the same and lower rank. */
  enter(level: number, text: string): readonly string[] {
    const kept = this.#levels.findLastIndex((above) => above < level) + 1;
    const short = text.replace(/\s+/g, ' ').trim().slice(0, MAX_HEADING_LENGTH).toWellFormed();
    this.#levels = [...this.#levels.slice(0, kept), level];
    this.#texts = [...this.#texts.slice(0, kept), short];
    return this.#texts;
  }
}
