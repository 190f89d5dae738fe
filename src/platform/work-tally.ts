/** What an attempt came to: `retried` and `failed` did not succeed, and after `failed` nothing is tried again. */
export type AttemptEnd = 'done' | 'retried' | 'failed';

/** Counts attempts at rows where one job makes several. Costs a few additions in memory. */
export interface WorkTally {
  /**
   * @param waitMs from due to taken; null for a retry, whose wait is its backoff
   * @param runMs from taken to finished
   */
  count(queue: string, end: AttemptEnd, times: { waitMs: number | null; runMs: number }): void;
}
