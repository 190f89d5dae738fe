import { type HttpClient, OutboundError, type OutboundResponse } from '#src/platform/http.ts';
import { isRedirect, nextHop } from '#src/platform/outbound-hop.ts';
import { readRobotsFile, ROBOTS_READ_BYTES, type RobotsFile } from '#src/platform/robots-file.ts';
import { retryAfterMs } from '#src/platform/retry-after.ts';
import { explainFetchFailure } from './explain-fetch-failure.ts';

/** The robots.txt rules of one origin, or that they are unknown. */
export interface OriginRobots extends RobotsFile {
  /** Why it could not be read: everything is disallowed then. Null when it was read, or does not exist. */
  readonly failure: string | null;
  /** How long the site wants to be left alone (`Retry-After`); null when not stated. */
  readonly pauseMs: number | null;
}

export interface RobotsRequest {
  signal: AbortSignal;
  timeoutMs: number;
  /** Called before each redirect is followed; its rejection ends the request. */
  beforeHop?: (url: string) => Promise<void>;
}

/** The robots.txt files that this process has read recently. */
export interface RobotsCache {
  /** Null when it must be fetched. */
  known(url: string): OriginRobots | null;
  /**
   * Requests the origin's robots.txt.
   * @throws the signal's reason
   */
  fetch(url: string, options: RobotsRequest): Promise<OriginRobots>;
}

/** RFC 9309 §2.4: at most 24 hours. */
const FRESH_MS = 12 * 3_600_000;
const FAILURE_FRESH_MS = 60_000;
/** For the text of robots.txt files; parsed, they take several times as much. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;
/** The size of an entry without rules. */
const ENTRY_BYTES = 2_000;

/** How long a site may take to send its rules. */
export const ROBOTS_TIMEOUT_MS = 10_000;

interface FetchedRobots {
  robots: OriginRobots;
  /** Of its text. */
  bytes: number;
}

interface CachedRobots {
  robots: OriginRobots;
  bytes: number;
  untilMs: number;
}

const caches = new WeakMap<HttpClient, RobotsCache>();

/** The cache shared by all visits through this client. */
export function robotsOf(http: HttpClient): RobotsCache {
  const cache = caches.get(http) ?? createRobotsCache(http);
  caches.set(http, cache);
  return cache;
}

/**
 * Reads robots.txt by RFC 9309 §2.3.1: client errors mean that there are no rules; server errors, too many redirects
 * and timeouts mean that nothing may be read for now, and so do 408, 425 and 429, which are temporary.
 */
export function createRobotsCache(
  http: HttpClient,
  nowMs: () => number = () => performance.now(),
): RobotsCache {
  /** By origin, least recently used first. */
  const entries = new Map<string, CachedRobots>();
  let cachedBytes = 0;
  const forget = (origin: string): void => {
    cachedBytes -= entries.get(origin)?.bytes ?? 0;
    entries.delete(origin);
  };
  const keep = (origin: string, { robots, bytes }: FetchedRobots): void => {
    forget(origin);
    const untilMs = nowMs() + (robots.failure === null ? FRESH_MS : FAILURE_FRESH_MS);
    entries.set(origin, { robots, bytes: bytes + ENTRY_BYTES, untilMs });
    cachedBytes += bytes + ENTRY_BYTES;
    for (const oldest of entries.keys()) {
      if (cachedBytes <= MAX_CACHED_BYTES) break;
      forget(oldest);
    }
  };
  return {
    known(url) {
      const { origin } = new URL(url);
      const entry = entries.get(origin);
      if (!entry) return null;
      entries.delete(origin);
      if (entry.untilMs <= nowMs()) {
        cachedBytes -= entry.bytes;
        return null;
      }
      entries.set(origin, entry);
      return entry.robots;
    },
    async fetch(url, request) {
      const { signal, timeoutMs } = request;
      const { origin } = new URL(url);
      const address = `${origin}/robots.txt`;
      try {
        const response = await askForRobots(http, address, request);
        const own = understand(address, response);
        keep(origin, own);
        const landed = new URL(response.url).origin;
        // `http:` usually redirects to the same file under `https:`, which would be requested next.
        if (landed !== origin && response.url === `${landed}/robots.txt`) {
          keep(landed, understand(response.url, response));
        }
        return own.robots;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof OutboundError)) throw error;
        const failed = unreadable(explainFetchFailure(error, address));
        // A request with less time than usual says nothing about the site.
        if (timeoutMs >= ROBOTS_TIMEOUT_MS || error.kind !== 'timeout') keep(origin, failed);
        return failed.robots;
      }
    },
  };
}

/** RFC 9309 §2.3.1.2. */
const MAX_HOPS = 5;

/**
 * Follows redirects one at a time, each in its turn. Time spent in `beforeHop` does not count towards the site's
 * timeout.
 */
async function askForRobots(
  http: HttpClient,
  start: string,
  { signal, timeoutMs, beforeHop = async () => undefined }: RobotsRequest,
): Promise<OutboundResponse> {
  let url = start;
  let leftMs = timeoutMs;
  for (let hops = 0; ; hops += 1) {
    const startedMs = performance.now();
    const response = await http.send({
      url,
      headers: { accept: 'text/plain, */*;q=0.1' },
      signal,
      timeoutMs: Math.max(1, Math.ceil(leftMs)),
      maxBytes: ROBOTS_READ_BYTES,
      excess: 'cut',
      maxRedirects: 0,
    });
    leftMs -= performance.now() - startedMs;
    const location = response.headers.get('location') ?? undefined;
    if (!isRedirect(response.status, location)) return response;
    if (hops >= MAX_HOPS) {
      const { hostname } = new URL(url);
      const reason = `${hostname} redirected more than ${MAX_HOPS} times.`;
      throw new OutboundError('too-many-redirects', reason);
    }
    const hop = { url: new URL(url), method: 'GET', headers: {}, body: null } as const;
    url = nextHop(hop, response.status, location).url.href;
    await beforeHop(url);
  }
}

const PASSING = [408, 425, 429];

function understand(url: string, response: OutboundResponse): FetchedRobots {
  const { status, bytes, isCut } = response;
  if (status >= 200 && status < 300) {
    const isTooLong = isCut && bytes.length >= ROBOTS_READ_BYTES;
    // An incomplete file may forbid more than is known.
    if (isCut && !isTooLong) return unreadable(whyUnreadable(url, 'broke off in the middle of'));
    // Half a rule may forbid or allow more than the whole one.
    const whole = isTooLong ? bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1) : bytes;
    return { robots: readable(readRobotsFile(url, whole)), bytes: whole.length };
  }
  if (status >= 400 && status < 500 && !PASSING.includes(status)) {
    return { robots: readable(readRobotsFile(url, Buffer.alloc(0))), bytes: 0 };
  }
  return unreadable(
    whyUnreadable(url, `answered ${status} for`),
    retryAfterMs(response.headers.get('retry-after'), Date.now()),
  );
}

function whyUnreadable(url: string, what: string): string {
  return `${new URL(url).hostname} ${what} its robots.txt, and a site must not be read while its rules are unknown. Try again later.`;
}

function readable(file: RobotsFile): OriginRobots {
  return { ...file, failure: null, pauseMs: null };
}

function unreadable(failure: string, pauseMs: number | null = null): FetchedRobots {
  const robots = { isAllowed: () => false, crawlDelayMs: 0, sitemaps: [], failure, pauseMs };
  return { robots, bytes: 0 };
}
