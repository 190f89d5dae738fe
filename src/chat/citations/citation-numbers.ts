import type { SearchDoc } from '#src/documents/search/search-hit.ts';

/** Parallel tools number their documents in ranges this far apart, so that no two collide. */
const RANGE = 100;

/**
 * Assigns the citation numbers of one answer: one per document, starting at 1. A document that is found again keeps its
 * number.
 */
export class CitationNumbers {
  readonly #documents = new Map<number, SearchDoc>();
  readonly #numbers = new Map<string, number>();
  #next = 1;

  /** Documents by number. */
  get documents(): ReadonlyMap<number, SearchDoc> {
    return this.#documents;
  }

  /** Opens `count` ranges for parallel tools; a single tool continues at the next free number. */
  openRanges(count: number): NumberRange[] {
    return Array.from({ length: count }, (_, index) => this.#openRange(this.#next + index * RANGE));
  }

  #openRange(first: number): NumberRange {
    let next = first;
    return {
      numberOf: (document) => {
        const known = this.#numbers.get(document.document_id);
        if (known !== undefined) return known;
        // A tool that exceeds its range continues after all others.
        if (this.#documents.has(next)) next = this.#next;
        const number = next;
        next += 1;
        this.#numbers.set(document.document_id, number);
        this.#documents.set(number, document);
        this.#next = Math.max(this.#next, number + 1);
        return number;
      },
    };
  }
}

/** Assigns numbers to the documents of one tool. */
export interface NumberRange {
  /** The document's number; a new one if it has none yet. */
  numberOf(document: SearchDoc): number;
}
