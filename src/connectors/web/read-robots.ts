import { setTimeout as sleep } from 'node:timers/promises';
import robotsParser from 'robots-parser';
import type { ConnectorContext } from '#src/connectors/connector.ts';
import { CLIENT_ERRORS } from '#src/connectors/source/client-errors.ts';
import { SourceUnavailable } from '#src/connectors/source-errors.ts';

/** The name under which a site may address this crawler (RFC 9309 §2.2.1). */
const ROBOT = 'Millrace';

/** Nothing of a site may be read while nobody can tell what it forbids. */
export class RobotsUnavailable extends SourceUnavailable {}

/** What the robots.txt files of the sites of one run say. */
export interface Robots {
  /** @throws RobotsUnavailable when robots.txt cannot be read: everything is disallowed then */
  isAllowed(url: string): Promise<boolean>;
  /** Waits until the site may be asked again, where it names a `Crawl-delay`. */
  awaitTurn(url: string): Promise<void>;
  /** `Sitemap:` lines of the site of this address. */
  sitemaps(url: string): Promise<string[]>;
}

/** RFC 9309 §2.5: at least 500 KiB are read. */
const READ_BYTES = 512 * 1024;
const MAX_BYTES = 5 * 1024 * 1024;
/** A site that asks for more would be read for ever. */
const MAX_DELAY_MS = 10_000;
const MAX_SITES = 1_000;
/** Of all rules of one robots.txt together; the long ones of large sites have some hundreds. */
const MAX_WILDCARDS = 2_000;

/**
 * Reads robots.txt of each site once, when the first page of it is asked for (RFC 9309,
 * https://www.rfc-editor.org/rfc/rfc9309). Client errors mean that there are no rules (§2.3.1.3), server errors that
 * nothing may be read for the time being (§2.3.1.4). `Crawl-delay` is no part of the RFC and widely used.
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
    // What could not be read now may be there for the next page.
    read.catch(() => files.delete(origin));
    return read;
  };
  return {
    async isAllowed(url) {
      return !respected || (await fileOf(url)).isAllowed(url, ROBOT) !== false;
    },
    async awaitTurn(url) {
      if (!respected) return;
      const delayMs = Math.min(
        ((await fileOf(url)).getCrawlDelay(ROBOT) ?? 0) * 1_000,
        MAX_DELAY_MS,
      );
      if (!(delayMs > 0)) return;
      const { origin } = new URL(url);
      const now = performance.now();
      const turn = Math.max(now, nextTurnMs.get(origin) ?? 0);
      nextTurnMs.set(origin, turn + delayMs);
      if (turn > now) await sleep(turn - now, undefined, { signal: context.signal });
    },
    async sitemaps(url) {
      return (await fileOf(url)).getSitemaps();
    },
  };
}

interface RobotsFile {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
  getSitemaps(): string[];
}

// The package's types describe a default export within CommonJS; its module is the function itself.
const parseRobots = robotsParser as unknown as (url: string, text: string) => RobotsFile;

async function fetchRobots(origin: string, context: ConnectorContext): Promise<RobotsFile> {
  const url = `${origin}/robots.txt`;
  const response = await context.http
    .send({ url, maxBytes: MAX_BYTES, expect: CLIENT_ERRORS })
    .catch((error: unknown) => {
      if (!(error instanceof SourceUnavailable)) throw error;
      const { message, retryAfterMs } = error;
      throw new RobotsUnavailable(message, { retryAfterMs, cause: error });
    });
  const rules =
    response.status >= 400 ? '' : response.bytes.subarray(0, READ_BYTES).toString('utf8');
  return parseRobots(url, withinWildcards(rules.replace(/^\uFEFF/, '')));
}

/**
 * Every page is held against every rule, at a cost that grows with the wildcards. What is above the budget counts up
 * to its first wildcard when it forbids, so that nothing is read that may not be, and not at all when it allows.
 */
function withinWildcards(rules: string): string {
  let left = MAX_WILDCARDS;
  const lines = rules.split(/\r\n?|\n/).flatMap((line) => {
    const [, field = '', pattern = ''] = /^([^:#]*allow[^:#]*:)([^#]*)/i.exec(line) ?? [];
    if (!pattern.includes('*')) return line;
    left -= pattern.split('*').length - 1;
    if (left >= 0) return line;
    return /dis/i.test(field) ? `${field} ${pattern.split('*', 1)[0]?.trim() || '/'}` : [];
  });
  return lines.join('\n');
}
