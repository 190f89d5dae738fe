import { VOCABULARY_SEED } from './search-questions.ts';
import { createDocuments, createRandom, type SyntheticItem } from './synthetic-documents.ts';

/** What happens to the documents of a workspace in one round. */
export interface ChurnRound {
  /** New documents, then new texts of older ones. */
  pushed: SyntheticItem[];
  deletedIds: string[];
}

/** Documents of a workspace that come, change and go, so that there are always equally many. */
export interface Churn {
  /** The documents to begin with. */
  first(): SyntheticItem[];
  /** As many of the oldest are deleted as new ones are pushed. */
  next(added: number, changed: number): ChurnRound;
}

/** Remembers nothing but numbers: the ids of those that are there follow each other. */
export function createChurn(options: { name: string; documents: number; bytes: number }): Churn {
  const { name, documents, bytes } = options;
  const random = createRandom(17);
  let oldest = 0;
  let end = documents;
  let seed = 0;
  const idOf = (number: number) => `${name}-${number}`;
  const make = (numbers: number[]): SyntheticItem[] => {
    seed += 1;
    const items = createDocuments(numbers.length, bytes, { seed, vocabularySeed: VOCABULARY_SEED });
    return items.map(({ document }, index) => ({
      document: { ...document, id: idOf(numbers[index] ?? 0) },
    }));
  };
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index);
  return {
    first: () => make(range(oldest, end)),
    next(added, changed) {
      const deletedIds = range(oldest, oldest + added).map(idOf);
      oldest += added;
      const older = Array.from(
        { length: changed },
        () => oldest + Math.floor(random() * (end - oldest)),
      );
      // A request with the same document twice would only be a smaller one.
      const pushed = make([...range(end, end + added), ...new Set(older)]);
      end += added;
      return { pushed, deletedIds };
    },
  };
}
