/** One call to an address that a customer or a stranger has named. */
export interface OutboundRequest {
  /** `http:` or `https:`, without credentials in it. */
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** For the whole exchange, redirects included; 30 s unless told. */
  timeoutMs?: number;
  /** Of the decompressed body; 20 MB unless told. */
  maxBytes?: number;
  /**
   * What becomes of a body that is longer than `maxBytes`, breaks off, or is not whole at the deadline: an error, unless
   * told to `cut` it there. The status has arrived by then.
   */
  excess?: 'refuse' | 'cut';
  /** How many redirects are followed, each vetted again; 5 unless told. With 0 a redirect is returned as it is. */
  maxRedirects?: number;
}

export interface OutboundResponse {
  status: number;
  /** After redirects. */
  url: string;
  headers: Headers;
  /** Decompressed. */
  bytes: Buffer;
  /** The body is not whole: see `excess`. */
  isCut: boolean;
  /** The body as UTF-8. */
  text(): string;
}

export type OutboundErrorKind =
  /** The address, scheme or port may not be reached from here. */
  | 'refused'
  | 'timeout'
  /** No connection, a reset, a cut-off body, TLS, DNS. */
  | 'network'
  /** The body, or what it unpacks to, is above the limit. */
  | 'too-large'
  | 'too-many-redirects';

/** A call that brought no whole answer. The message names the host and the reason, never credentials. */
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
   * Resolves a host name or literal and vets what comes out. With `opened` only ranges that the operator has opened
   * pass: public addresses do not, either.
   * @returns addresses to connect to, at least one; connect to these and to nothing else
   * @throws OutboundError `refused` when one of them is private, loopback, link-local or otherwise not public
   */
  addressesOf(
    host: string,
    reach?: 'public' | 'opened',
  ): Promise<{ address: string; family: 4 | 6 }[]>;
}

/** Outbound HTTP with vetted addresses, deadlines and caps. */
export interface HttpClient extends AsyncDisposable {
  readonly guard: OutboundGuard;
  /** Resolves with any status once the whole body is there. @throws OutboundError, or the signal's reason */
  send(request: OutboundRequest): Promise<OutboundResponse>;
}
