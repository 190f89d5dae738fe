import { request, type Target } from './ask-millrace.ts';
import { percentile } from './percentile.ts';
import { questionsFrom, VOCABULARY_SEED } from './search-questions.ts';
import { createDocuments } from './synthetic-documents.ts';

const ASKED_DOCUMENTS = 300;

/** Each call gives other questions, in the language of the synthetic documents. */
export function createQuestioner(bytes: number): (count: number) => string[] {
  const items = createDocuments(ASKED_DOCUMENTS, bytes, { vocabularySeed: VOCABULARY_SEED });
  let seed = 0;
  return (count) => {
    seed += 1;
    return questionsFrom(items, seed).slice(0, count);
  };
}

/**
 * Searches one after the other. One that fails is told, and counts with the time that it took.
 * @param isEnough ends it before the last question
 * @returns milliseconds of each
 */
export async function timeSearches(
  target: Target,
  questions: readonly string[],
  signal: AbortSignal,
  isEnough: () => boolean = () => false,
): Promise<number[]> {
  const times: number[] = [];
  for (const query of questions) {
    signal.throwIfAborted();
    if (isEnough()) break;
    const startedMs = performance.now();
    await request(target, 'POST', '/search', JSON.stringify({ query })).catch((error: unknown) => {
      signal.throwIfAborted();
      console.log(`A search failed: ${String(error)}`);
    });
    times.push(performance.now() - startedMs);
  }
  return times;
}

export function describeTimes(times: readonly number[]): string {
  if (times.length === 0) return '-';
  return `${milliseconds(percentile(times, 0.5))} / ${milliseconds(percentile(times, 0.95))}`;
}

function milliseconds(value: number): string {
  return value < 100 ? value.toFixed(1) : String(Math.round(value));
}
