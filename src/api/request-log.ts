export const WINDOW_MS = 60_000;

/** The log's answer after a request was admitted or refused. Times are Unix milliseconds of the store's own clock. */
export interface RequestTaken {
  allowed: boolean;
  /** Requests admitted within the last minute, including the current one if admitted. */
  used: number;
  nowMs: number;
  /** The oldest of the newest `limit` requests: when it is a minute old, the next request is admitted. */
  firstMs: number;
  lastMs: number;
}

/**
 * The times of each account's requests in the last minute: an exact sliding window, not fixed minutes. Refused requests
 * are not logged.
 */
export interface RequestLog {
  /** Logs a request unless `limit` requests of the account were admitted within the last minute. */
  take(account: string, limit: number): Promise<RequestTaken>;
}
