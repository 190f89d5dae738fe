import { workerData } from 'piscina';
import { lowerThreadPriority } from '#src/platform/lower-thread-priority.ts';
import { embedText } from './embed-builtin.ts';
import type { IndexThreadData } from './index-threads.ts';
import { type DocumentText, type Prepared, prepareDocument } from './prepare-document.ts';

export { cutDocument, findTerms } from './prepare-document.ts';
export { trainBasis } from './train-basis.ts';

const { niceness } = workerData as IndexThreadData;
if (niceness > 0) lowerThreadPriority(niceness);

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
