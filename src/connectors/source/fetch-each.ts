import type { ConnectorFailure } from './connector.ts';
import { SourceRefused, SourceUnavailable } from './source-errors.ts';

/** Fewer failures say nothing about the source as a whole. */
const ALL_FAILED_MIN = 3;

export interface FetchedEach<Result> {
  results: Result[];
  failures: ConnectorFailure[];
}

/**
 * Fetches the details of each item of a page. When the source refuses or cannot deliver one item, that is a failure
 * of this item. When it cannot deliver any of several, the source is down, and the page is read again later.
 * @throws any other error of `fetch`
 */
export async function fetchEach<Thing, Result>(
  things: readonly Thing[],
  idOf: (thing: Thing) => string,
  fetch: (thing: Thing) => Promise<Result>,
): Promise<FetchedEach<Result>> {
  const results: Result[] = [];
  const failures: ConnectorFailure[] = [];
  const unavailable: SourceUnavailable[] = [];
  const settled = await Promise.all(
    things.map(async (thing) => {
      try {
        return { result: await fetch(thing) };
      } catch (error) {
        const asked = error instanceof SourceUnavailable && error.retryAfterMs === null;
        if (!asked && !(error instanceof SourceRefused)) throw error;
        if (asked) unavailable.push(error);
        return { failure: failureOf(idOf(thing), error) };
      }
    }),
  );
  for (const outcome of settled) {
    if (outcome.failure) failures.push(outcome.failure);
    else results.push(outcome.result);
  }
  const [first] = unavailable;
  if (first && unavailable.length === things.length && things.length >= ALL_FAILED_MIN) throw first;
  return { results, failures };
}

function failureOf(id: string, error: Error): ConnectorFailure {
  return { documentId: id, link: id, entityId: null, reason: error.message };
}
