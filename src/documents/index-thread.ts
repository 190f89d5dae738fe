import { lowerThreadPriority } from '#src/platform/lower-thread-priority.ts';
import { embedText } from './embed-builtin.ts';
import { type DocumentText, type Prepared, prepareDocument } from './prepare-document.ts';

export { cutDocument, findTerms } from './prepare-document.ts';
export { trainBasis } from './train-basis.ts';

/** Of a busy processor, a third of what another thread gets. */
const NICENESS = 5;

// Indexing takes all processors that it gets. Searches, and the database that serves them, go first.
lowerThreadPriority(NICENESS);

/** Entry points of the worker threads; `index-threads.ts` calls them by name. */
export function prepareDocuments(documents: DocumentText[]): Prepared[] {
  return documents.map(prepareDocument);
}

/** Vectors of the builtin embedder, concatenated into one array of texts.length × dimensions. */
export function embedTexts(task: { texts: readonly string[]; dimensions: number }): Float32Array {
  const vectors = new Float32Array(task.texts.length * task.dimensions);
  task.texts.forEach((text, index) => {
    vectors.set(embedText(text, task.dimensions), index * task.dimensions);
  });
  return vectors;
}
