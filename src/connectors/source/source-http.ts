import type { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';

/** The load that a source can take, per run. */
export interface SourcePolicy {
  /** Concurrent requests. */
  concurrentRequests: number;
  /** Null: as fast as it responds. */
  requestsPerSecond: number | null;
  /** Most documents in a page. */
  documentsPerPage: number;
}

export interface SourceRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as `application/x-www-form-urlencoded`. */
  form?: Record<string, string>;
  /** Limit for the decompressed response; 20 MB by default. */
  maxBytes?: number;
  /** 0 for requests whose body no other host may receive; a redirect is then refused like any other status. */
  maxRedirects?: number;
  /** Statuses besides 2xx that the caller handles itself, such as 304 or 404. */
  expect?: readonly number[];
}

/** HTTP to one source during one run: rate-limited, with retries, and with the source's own message in its errors. */
export interface SourceHttp {
  /**
   * Waits as long as `Retry-After` says on 429 and 503; retries 5xx, truncated responses and network failures with
   * backoff.
   * @throws CredentialRejected on 401; SourceRefused on any other status that is neither 2xx nor expected, and for an
   * address that may not be contacted; SourceUnavailable when the tries are used up or the requested wait is long
   */
  send(request: SourceRequest): Promise<OutboundResponse>;
  /** Also retries when the response is not JSON or does not match the schema. */
  json<T>(
    request: SourceRequest,
    schema: z.ZodType<T>,
  ): Promise<{ data: T; response: OutboundResponse }>;
  /** The same client with the habits of one kind of source. */
  withHabits(habits: SourceHabits): SourceHttp;
}

/** How a kind of source differs from the usual. */
export interface SourceHabits {
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Statuses that mean a rejected credential, besides 401. */
  rejected?: (response: OutboundResponse) => boolean;
  /** A wait that the source requests in its own way (GitHub: 403 with `x-ratelimit-reset`), in ms; null: none. */
  waitMs?: (response: OutboundResponse, nowMs: number) => number | null;
  /**
   * The source's own message in an error response; null: none found. Without this function, common JSON shapes are
   * tried.
   */
  words?: (response: OutboundResponse) => string | null;
}
