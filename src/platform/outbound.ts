/** One call to an address named by a customer or a stranger. */
export interface OutboundRequest {
  /** `http:` or `https:`, without credentials in it. */
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** For the whole exchange, including redirects; 30 s by default. */
  timeoutMs?: number;
  /** Limit for the decompressed body; 20 MB by default. */
  maxBytes?: number;
  /**
   * What happens when a body is longer than `maxBytes`, breaks off, or is incomplete at the deadline: an error by
   * default; with `cut` the body ends there. The status has arrived by then.
   */
  excess?: 'refuse' | 'cut';
  /** How many redirects are followed, each vetted again; 5 by default. With 0 a redirect is returned as is. */
  maxRedirects?: number;
}

export interface OutboundResponse {
  status: number;
  /** After redirects. */
  url: string;
  headers: Headers;
  /** Decompressed. */
  bytes: Buffer;
  /** The body is incomplete: see `excess`. */
  isCut: boolean;
  /** The body as UTF-8. */
  text(): string;
}

export type OutboundErrorKind =
  /** The address, scheme or port cannot be reached from here. */
  | 'refused'
  | 'timeout'
  /** No connection, a reset, a cut-off body, TLS, DNS. */
  | 'network'
  /** The body exceeds the limit, before or after decompression. */
  | 'too-large'
  | 'too-many-redirects';

/** A call without a complete answer. The message names the host and the reason, never credentials. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: OutboundErrorKind;
  /** The system's or the library's code, such as `ECONNREFUSED`; empty when there is none. */
  readonly code: string;

  constructor(
    kind: OutboundErrorKind,
    message: string,
    options: { cause?: unknown; code?: string } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.code = options.code ?? '';
  }
}

/** Decides which addresses may be reached. */
export interface OutboundGuard {
  /**
   * Resolves and vets a host name or literal. With `opened` only ranges opened by the operator pass, so public
   * addresses fail too.
   * @returns at least one address; connect only to these
   * @throws OutboundError `refused` when any of them is private, loopback, link-local or otherwise not public
   */
  addressesOf(
    host: string,
    reach?: 'public' | 'opened',
  ): Promise<{ address: string; family: 4 | 6 }[]>;
}

/** Outbound HTTP with vetted addresses, deadlines and limits. */
export interface HttpClient extends AsyncDisposable {
  readonly guard: OutboundGuard;
  /** Resolves with any status once the whole body has arrived. @throws OutboundError, or the signal's reason */
  send(request: OutboundRequest): Promise<OutboundResponse>;
}
