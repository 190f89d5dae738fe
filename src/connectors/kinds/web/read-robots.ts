import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectorContext } from '#src/connectors/source/connector.ts';
import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { readRobotsFile, type RobotsFile } from '#src/platform/robots-file.ts';

/** Nothing of a site may be read while its rules are unknown. */
export class RobotsUnavailable extends SourceUnavailable {}

/** The rules in the robots.txt files of one run's sites. */
export interface Robots {
  /**
   * @throws RobotsUnavailable when robots.txt cannot be read: everything is disallowed then
   */
  isAllowed(url: string): Promise<boolean>;
  /** Waits until the site's `Crawl-delay`, if any, has passed. */
  awaitTurn(url: string): Promise<void>;
  /** `Sitemap:` lines for the site of this URL. */
  sitemaps(url: string): Promise<string[]>;
}

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_SITES = 1_000;

/**
 * Reads robots.txt of each site once, when its first page is requested (RFC 9309,
 * https://www.rfc-editor.org/rfc/rfc9309). Client errors mean that there are no rules (§2.3.1.3), server errors that
 * nothing may be read for now (§2.3.1.4).
 */
export function openRobots(context: ConnectorContext, respected: boolean): Robots {
  const files = new Map<string, Promise<RobotsFile>>();
  const nextTurnMs = new Map<string, number>();
  const fileOf = (url: string): Promise<RobotsFile> => {
    const { origin } = new URL(url);
    const known = files.get(origin);
    if (known) return known;
    if (files.size >= MAX_SITES) files.clear();
    const read = fetchRobots(origin, context);
    files.set(origin, read);
    // A robots.txt that failed now may be there for the next page.
    read.catch(() => files.delete(origin));
    return read;
  };
  return {
    async isAllowed(url) {
      return !respected || (await fileOf(url)).isAllowed(url);
    },
    async awaitTurn(url) {
      if (!respected) return;
      const delayMs = (await fileOf(url)).crawlDelayMs;
      if (delayMs === 0) return;
      const { origin } = new URL(url);
      const now = performance.now();
      const turn = Math.max(now, nextTurnMs.get(origin) ?? 0);
      nextTurnMs.set(origin, turn + delayMs);
      if (turn > now) await sleep(turn - now, undefined, { signal: context.signal });
    },
    async sitemaps(url) {
      return [...(await fileOf(url)).sitemaps];
    },
  };
}

async function fetchRobots(origin: string, context: ConnectorContext): Promise<RobotsFile> {
  const url = `${origin}/robots.txt`;
  const response = await context.http
    .send({ url, maxBytes: MAX_BYTES, expect: CLIENT_ERRORS })
    .catch((error: unknown) => {
      if (!(error instanceof SourceUnavailable)) throw error;
      const { message, retryAfterMs } = error;
      throw new RobotsUnavailable(message, { retryAfterMs, cause: error });
    });
  return readRobotsFile(url, response.status >= 400 ? Buffer.alloc(0) : response.bytes);
}
