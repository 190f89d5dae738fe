import type { z } from 'zod';
import type { OutboundResponse } from '#src/platform/http.ts';

/** How hard a source may be asked, per run. */
export interface SourcePolicy {
  /** Requests at once. */
  concurrentRequests: number;
  /** Null: as fast as it answers. */
  requestsPerSecond: number | null;
  /** Documents that a page holds at most. */
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
  /** Of the decompressed answer; 20 MB unless told. */
  maxBytes?: number;
  /** 0 for requests whose body must reach nobody else; a redirect is then refused like any other status. */
  maxRedirects?: number;
  /** Statuses besides 2xx that the caller handles itself, such as 304 or 404. */
  expect?: readonly number[];
}

/** HTTP to one source during one run: polite, patient, and with the source's own words in its errors. */
export interface SourceHttp {
  /**
   * 429 and 503 wait as told by `Retry-After`; 5xx, cut-off answers and network failures are tried again with backoff.
   * @throws CredentialRejected on 401; SourceRefused on any other status that is neither 2xx nor expected, and for an
   *   address that may not be reached; SourceUnavailable when the tries are used up or the wait asked for is long
   */
  send(request: SourceRequest): Promise<OutboundResponse>;
  /** Also tries again when the answer is no JSON or breaks the schema. */
  json<T>(
    request: SourceRequest,
    schema: z.ZodType<T>,
  ): Promise<{ data: T; response: OutboundResponse }>;
  /** The same client with the ways of one kind of source. */
  withHabits(habits: SourceHabits): SourceHttp;
}

/** How a kind of source differs from what is usual. */
export interface SourceHabits {
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Statuses that mean a rejected credential, besides 401. */
  rejected?: (response: OutboundResponse) => boolean;
  /** A wait that the source asks for in a way of its own (GitHub: 403 with `x-ratelimit-reset`), in ms; null: none. */
  waitMs?: (response: OutboundResponse, nowMs: number) => number | null;
  /** The source's own words in an error answer; null: none found. Without it common JSON shapes are tried. */
  words?: (response: OutboundResponse) => string | null;
}
