export const WINDOW_MS = 60_000;

/** What the log says after a request was taken or refused. Times are Unix milliseconds of the store's own clock. */
export interface RequestTaken {
  allowed: boolean;
  /** Requests let through within the last minute, with the present one when it is among them. */
  used: number;
  nowMs: number;
  /** Of the newest requests, as many as the limit allows, the oldest: when it is a minute old, the next one passes. */
  firstMs: number;
  lastMs: number;
}

/**
 * The moments of the requests of each account's last minute: an exact log, not a count by fixed minutes. Refused
 * requests are not in it.
 */
export interface RequestLog {
  /** Enters a request unless `limit` of the account were let through within the last minute. */
  take(account: string, limit: number): Promise<RequestTaken>;
}
