import type { SearchDoc } from '#src/documents/search-hit.ts';

/** Parallel tools number their documents in ranges this far apart, so that no two collide. */
const RANGE = 100;

/**
 * The numbers by which an answer cites: one a document, from 1 on, for the whole of an answer. A document that is found
 * again keeps its number.
 */
export class CitationNumbers {
  readonly #documents = new Map<number, SearchDoc>();
  readonly #numbers = new Map<string, number>();
  #next = 1;

  /** By number. */
  get documents(): ReadonlyMap<number, SearchDoc> {
    return this.#documents;
  }

  /** Starts of `count` ranges that parallel tools may fill; one tool alone goes on at the next free number. */
  openRanges(count: number): NumberRange[] {
    return Array.from({ length: count }, (_, index) => this.#openRange(this.#next + index * RANGE));
  }

  #openRange(first: number): NumberRange {
    let next = first;
    return {
      numberOf: (document) => {
        const known = this.#numbers.get(document.document_id);
        if (known !== undefined) return known;
        // A tool that finds more than its range holds goes on behind the others.
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

/** Where one tool's documents get their numbers. */
export interface NumberRange {
  /** The document's number, a new one when it has none yet. */
  numberOf(document: SearchDoc): number;
}
