import { OutboundError, type OutboundRequest } from './outbound.ts';

/** One request in a chain of redirects. */
export interface OutboundHop {
  url: URL;
  method: NonNullable<OutboundRequest['method']>;
  /** With lower-case names. */
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/** Set only by the client itself: these headers decide where a message ends and whom it is for. */
const FRAMING_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The only headers that another origin gets after a redirect; any other may be a secret, whatever its name. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'range',
  'user-agent',
]);

/** @throws OutboundError `refused` when the address may not be called */
export function firstHop(request: OutboundRequest, defaults: Record<string, string>): OutboundHop {
  const headers = { ...defaults };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!FRAMING_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return {
    url: callableUrl(URL.parse(request.url)),
    method: request.method ?? 'GET',
    headers,
    body: request.body ?? null,
  };
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

export function isRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECT_STATUSES.includes(status);
}

/**
 * The next request according to the Fetch standard (HTTP-redirect fetch): 303, and 301/302 after a POST, become a GET
 * without a body. Another origin gets only harmless headers.
 * @throws OutboundError `refused` when the new address may not be called, or would receive a body unencrypted
 */
export function nextHop(hop: OutboundHop, status: number, location: string): OutboundHop {
  // Headers are decoded byte by byte; an unescaped location is UTF-8.
  const target = Buffer.from(location, 'latin1').toString('utf8');
  const url = callableUrl(URL.parse(target, hop.url), hop.url.hostname);
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST');
  const body = becomesGet ? null : hop.body;
  if (body !== null && hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError(
      'refused',
      `${hop.url.hostname} redirected a request with a body from https to http, which would send it in the clear.`,
    );
  }
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(
      ([name]) =>
        (url.origin === hop.url.origin || HARMLESS_HEADERS.has(name)) &&
        (body !== null || !name.startsWith('content-')),
    ),
  );
  return { url, method: becomesGet ? 'GET' : hop.method, headers, body };
}

/** @throws OutboundError `refused` when the address may not be called */
export function callableUrl(url: URL | null, redirectedBy: string | null = null): URL {
  const place =
    redirectedBy === null ? 'The address' : `The address that ${redirectedBy} redirects to`;
  const refuse = (reason: string): never => {
    throw new OutboundError('refused', `${place} ${reason}`);
  };
  if (url === null) return refuse('is not a URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse(`begins with ${url.protocol} where http: or https: is needed.`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(`contains a user name or password; leave them out of ${url.hostname}.`);
  }
  if (BLOCKED_PORTS.has(Number(url.port))) {
    return refuse(`names port ${url.port} of ${url.hostname}, which belongs to another protocol.`);
  }
  url.hash = '';
  return url;
}

/** Ports whose servers might interpret an HTTP request as commands: the Fetch standard's "bad ports". */
const BLOCKED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);
