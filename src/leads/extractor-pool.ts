import type { ExtractorPool } from './extracted-page.ts';

/** Opens the threads that extract pages. */
export function openExtractorPool(): ExtractorPool {
  return {
    extract: () => Promise.reject(new Error('not written yet')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
