import robotsParser from 'robots-parser';

/** The product token by which a site addresses this crawler (RFC 9309 §2.2.1). */
const ROBOT = 'Millrace';
/** Sites also write more after it, such as a version; what is compared is the token (RFC 9309 §2.2.1). */
const ADDRESSES_US = /^millrace(?![\w-])/i;
/** RFC 9309 §2.5: crawlers must read at least 500 KiB. */
export const ROBOTS_READ_BYTES = 512 * 1024;
/** A site that asks for a longer delay would take forever to crawl. */
const MAX_DELAY_MS = 10_000;
/** For all rules of one robots.txt together; the long ones of large sites have a few hundred. */
const MAX_WILDCARDS = 2_000;

/** The rules of one robots.txt for this crawler. */
export interface RobotsFile {
  /** For URLs of the file's own origin; all others are out of its scope and allowed. */
  isAllowed(url: string): boolean;
  /** `Crawl-delay`, not in the RFC but widely used; 0 when there is none, at most 10 s. */
  readonly crawlDelayMs: number;
  /** `Sitemap:` lines, as written. */
  readonly sitemaps: readonly string[];
}

/**
 * Reads the first 512 KiB of a robots.txt (RFC 9309, https://www.rfc-editor.org/rfc/rfc9309).
 * @param url where it was fetched: its rules apply to this origin
 */
export function readRobotsFile(url: string, bytes: Buffer): RobotsFile {
  const text = bytes
    .subarray(0, ROBOTS_READ_BYTES)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const file = parseRobots(url, normalizeRules(text));
  const delayMs = (file.getCrawlDelay(ROBOT) ?? 0) * 1_000;
  return {
    isAllowed: (page) => file.isAllowed(withPlainCodes(page), ROBOT) !== false,
    crawlDelayMs: Math.min(Math.max(delayMs, 0), MAX_DELAY_MS),
    sitemaps: file.getSitemaps(),
  };
}

interface ParsedRobots {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
  getSitemaps(): string[];
}

// The package's types describe a CommonJS default export; the module is the function itself.
const parseRobots = robotsParser as unknown as (url: string, text: string) => ParsedRobots;

const GROUP_FIELDS = new Set(['user-agent', 'allow', 'disallow', 'crawl-delay']);

/**
 * The lines that the parser understands, in a form that it reads as the RFC says: other records do not end a group
 * (§2.2.4), so sitemaps come last.
 *
 * Every page is checked against every rule, at a cost that grows with the wildcards. A rule above the wildcard budget
 * is cut at its first wildcard if it disallows, so that no forbidden page is read, and dropped if it allows.
 */
function normalizeRules(text: string): string {
  const rules: string[] = [];
  const sitemaps: string[] = [];
  let wildcards = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    const field = content.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (field === 'sitemap') sitemaps.push(content);
    if (!GROUP_FIELDS.has(field)) continue;
    const value = content.slice(colon + 1).trim();
    if (field === 'user-agent' || field === 'crawl-delay') {
      const isUs = field === 'user-agent' && ADDRESSES_US.test(value);
      rules.push(`${field}: ${isUs ? ROBOT : value}`);
      continue;
    }
    const pattern = withPlainCodes(value);
    wildcards += pattern.split('*').length - 1;
    if (wildcards <= MAX_WILDCARDS || !pattern.includes('*')) rules.push(`${field}: ${pattern}`);
    else if (field === 'disallow')
      rules.push(`${field}: ${pattern.split('*', 1)[0]?.trim() || '/'}`);
    // The rule is dropped, but its group has begun.
    else rules.push(`${field}:`);
  }
  return [...rules, ...sitemaps].join('\n');
}

/** Decodes percent codes of characters that need no encoding (§2.2.2). */
function withPlainCodes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code;
  });
}
