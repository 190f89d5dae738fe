import {
  Agent,
  buildConnector,
  type Dispatcher,
  fetch as undiciFetch,
  Pool,
  ProxyAgent,
} from 'undici';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { startDeadline, untilAborted } from './deadline.ts';
import { explainOutboundFailure } from './explain-outbound-failure.ts';
import { type HttpClient, OutboundError, type OutboundGuard } from './outbound.ts';
import {
  createOutboundGuard,
  type OutboundReach,
  type ResolveHost,
  vettedLookup,
} from './outbound-guard.ts';
import { firstHop, isRedirect, nextHop, type OutboundHop } from './outbound-hop.ts';
import { readOutboundAnswer } from './read-outbound-answer.ts';

export {
  type HttpClient,
  OutboundError,
  type OutboundGuard,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Model servers may think for a while before the first byte; callers set tighter deadlines. */
const SILENCE_TIMEOUT_MS = 120_000;

/**
 * `fetch` for endpoints that the operator configures (embedding and language models). Those addresses are trusted,
 * including private ones; redirects follow the Fetch standard.
 */
export function createOperatorFetch(): typeof globalThis.fetch {
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });
  const call = (input: string | URL, init?: RequestInit) =>
    // The types of undici and of the DOM describe the same standard under different names.
    undiciFetch(input, { ...(init as Parameters<typeof undiciFetch>[1]), dispatcher });
  return call as unknown as typeof globalThis.fetch;
}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const MAX_ORIGINS = 256;

/**
 * HTTP to addresses that customers and strangers name. Every connection goes to an address that the guard has just
 * vetted, whatever the name resolved to before; every redirect is a new request.
 *
 * With a proxy, names are still resolved and vetted here, but the proxy resolves them again: it must itself be kept
 * from reaching private addresses. The proxy's own address comes from the operator and is trusted.
 */
export function createHttpClient(options: {
  allowCidrs: readonly string[];
  proxyUrl: string | null;
  /** The client's User-Agent: `Millrace/1.0 (+https://example.com)`. */
  userAgent?: string;
  /** Time to connect, including look-up and TLS; 10 s by default. */
  connectTimeoutMs?: number;
  /** Per origin, over all workspaces; 128 by default, null for no limit. Further calls wait within their deadline. */
  connectionsPerOrigin?: number | null;
  /** Number of origins with open connections; 256 by default. */
  maxOrigins?: number;
  /** Where `http:` URLs may lead: wherever `https:` ones may, or only to ranges in `allowCidrs`. */
  plainHttp?: OutboundReach;
  /** Replaces the system's resolver. */
  lookup?: ResolveHost;
}): HttpClient {
  const { allowCidrs, proxyUrl, userAgent = 'Millrace', lookup, ...connectionOptions } = options;
  const guard = createOutboundGuard({ allowCidrs, ...(lookup && { resolve: lookup }) });
  const connections = openConnections(guard, {
    proxyUrl,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    connectionsPerOrigin: MAX_CONNECTIONS_PER_ORIGIN,
    maxOrigins: MAX_ORIGINS,
    plainHttp: 'public',
    ...connectionOptions,
  });
  const defaults = {
    'user-agent': userAgent,
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br, zstd',
  };
  return {
    guard,
    async send(request) {
      request.signal.throwIfAborted();
      const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
      using deadline = startDeadline(request.signal, timeoutMs);
      let hop = firstHop(request, defaults);
      const maxRedirects = request.maxRedirects ?? MAX_REDIRECTS;
      try {
        for (let redirects = 0; ; redirects += 1) {
          const answer = await connections.call(hop, deadline.signal);
          const { location } = answer.headers;
          const target = Array.isArray(location) ? location[0] : location;
          if (maxRedirects === 0 || !isRedirect(answer.statusCode, target)) {
            return await readOutboundAnswer(hop, answer, request, deadline.signal);
          }
          await discardBody(answer, deadline.signal);
          if (redirects >= maxRedirects) throw tooManyRedirects(hop, maxRedirects);
          hop = nextHop(hop, answer.statusCode, target);
        }
      } catch (error) {
        request.signal.throwIfAborted();
        if (deadline.expired) throw timedOut(hop, timeoutMs);
        throw explainOutboundFailure(error, hop.url.hostname);
      }
    },
    [Symbol.asyncDispose]: () => connections.destroy(),
  };
}

/** Largest redirect body that is read so that the connection can be reused; a larger one closes it. */
const MAX_DISCARDED_BYTES = 64_000;

async function discardBody({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<void> {
  await body.dump({ limit: MAX_DISCARDED_BYTES, signal });
}

function tooManyRedirects(hop: OutboundHop, maxRedirects: number): OutboundError {
  return new OutboundError(
    'too-many-redirects',
    `${hop.url.hostname} redirected more than ${maxRedirects} times.`,
  );
}

function timedOut(hop: OutboundHop, timeoutMs: number): OutboundError {
  return new OutboundError(
    'timeout',
    `${hop.url.hostname} did not send its whole answer within ${timeoutMs / 1000} s.`,
  );
}

/** When idle connections are closed. */
const KEEP_ALIVE_MS = 10_000;
/** Per origin, over all workspaces; further calls wait within their own deadline. */
const MAX_CONNECTIONS_PER_ORIGIN = 128;

const POOL_OPTIONS = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
  // One deadline covers the whole exchange.
  headersTimeout: 0,
  bodyTimeout: 0,
  // One request per connection keeps cut-off answers and aborts simple.
  allowH2: false,
};

interface Connections {
  /** Resolves when the headers have arrived. */
  call(hop: OutboundHop, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  destroy(): Promise<void>;
}

interface ConnectionOptions {
  proxyUrl: string | null;
  connectTimeoutMs: number;
  connectionsPerOrigin: number | null;
  maxOrigins: number;
  plainHttp: OutboundReach;
}

/** Opens connections on demand; each leads to an address that the guard has just vetted, or to the proxy. */
function openConnections(guard: OutboundGuard, options: ConnectionOptions): Connections {
  const { proxyUrl, connectTimeoutMs, connectionsPerOrigin, maxOrigins, plainHttp } = options;
  const pool = { ...POOL_OPTIONS, connections: connectionsPerOrigin, maxOrigins };
  const open = (): Dispatcher =>
    proxyUrl === null
      ? new Agent({ ...pool, connect: vettedConnector(guard, options) })
      : openProxy(proxyUrl, { ...pool, connectTimeout: connectTimeoutMs });
  let current = open();
  const retired = new Set<Dispatcher>();
  const retire = (dispatcher: Dispatcher): void => {
    if (dispatcher !== current) return;
    current = open();
    retired.add(dispatcher);
    // Calls in progress finish, unless all connections are destroyed first.
    const forget = (): void => void retired.delete(dispatcher);
    dispatcher.close().then(forget, forget);
  };
  const dispatch = async (hop: OutboundHop, signal: AbortSignal) => {
    if (proxyUrl !== null) {
      await guard.addressesOf(hop.url.hostname, reachOf(hop.url.protocol, plainHttp));
    }
    const request = dispatchOptions(hop, signal);
    // Concurrent calls to ever more origins may fill one set of connections after another; each holds `maxOrigins`
    // origins.
    for (;;) {
      const dispatcher = current;
      try {
        return await dispatcher.request(request);
      } catch (error) {
        if (!isOutOfOrigins(error)) throw error;
        retire(dispatcher);
      }
    }
  };
  return {
    call: (hop, signal) =>
      untilAborted(dispatch(hop, signal), signal, ({ body }) =>
        body.on('error', () => {}).destroy(),
      ),
    async destroy() {
      await Promise.all([current, ...retired].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** Uses connections that report when the proxy, not the server behind it, is unreachable. */
function openProxy(uri: string, options: Omit<ProxyAgent.Options, 'uri'>): ProxyAgent {
  const proxy = new URL(uri).href;
  const openPool = (origin: URL, { connect, ...rest }: Pool.Options): Pool => {
    const isToProxy = URL.parse(String(origin))?.href === proxy && typeof connect === 'function';
    return new Pool(origin, {
      ...rest,
      ...(connect && { connect: isToProxy ? blamingProxy(connect) : connect }),
    });
  };
  return new ProxyAgent({ ...options, uri, clientFactory: openPool, factory: openPool });
}

function blamingProxy(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(new ProxyUnreachable(error.message, { cause: error }), null);
    });
}

/** Has the code that the library uses for its own proxy failures. */
class ProxyUnreachable extends Error {
  override readonly name = 'ProxyUnreachable';
  readonly code = 'UND_ERR_PRX_CONN';
}

function dispatchOptions(hop: OutboundHop, signal: AbortSignal): Dispatcher.RequestOptions {
  const { url, method, headers, body } = hop;
  return { origin: url.origin, path: url.pathname + url.search, method, headers, body, signal };
}

function isOutOfOrigins(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_MAX_ORIGINS_REACHED';
}

/** Sockets get their address from the guard; literal addresses skip the look-up, so they are vetted first. */
function vettedConnector(
  guard: OutboundGuard,
  { connectTimeoutMs: timeout, plainHttp }: ConnectionOptions,
): buildConnector.connector {
  const connectorTo = (reach: OutboundReach): buildConnector.connector =>
    buildConnector({ timeout, allowH2: false, lookup: vettedLookup(guard, reach) });
  const connectors = { public: connectorTo('public'), opened: connectorTo('opened') };
  const vetLiteral = callbackify((host: string, reach: OutboundReach) =>
    guard.addressesOf(host, reach),
  );
  return (options, callback) => {
    const reach = reachOf(options.protocol, plainHttp);
    if (isIP(options.hostname) === 0) {
      connectors[reach](options, callback);
      return;
    }
    vetLiteral(options.hostname, reach, (error) => {
      if (error) callback(error, null);
      else connectors[reach](options, callback);
    });
  };
}

function reachOf(protocol: string, plainHttp: OutboundReach): OutboundReach {
  return protocol === 'https:' ? 'public' : plainHttp;
}
