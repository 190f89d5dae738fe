import { z } from 'zod';
import { EXTRACTION_VERSION } from './extract-page.ts';
import { addressKey } from './page-address.ts';
import type { WebSettings } from './web-settings.ts';

/** What the next run knows of a page. */
export const pageMemory = z.object({
  /** How it was read; see `readingMethod`. */
  how: z.string(),
  /** Id of its document. */
  id: z.string(),
  etag: z.string().nullable(),
  /** `Last-Modified`. */
  modified: z.string().nullable(),
  /** Hash of the response body. */
  raw: z.string(),
  /** Hash of the extracted content. */
  hash: z.string(),
  lastmod: z.string().nullable(),
  /** Whether the document belongs to another page with the same text. */
  isTwin: z.boolean(),
  /** When it was fetched, in ms. */
  at: z.number(),
  /** Its links, so that a crawl can continue from an unchanged page. Paths are relative to the host of `id`. */
  links: z.array(z.string()),
  /** Texts that were kept but may turn out to belong to the site, in the form of `SiteFrame`. */
  doubts: z.array(z.string()),
});
export type PageMemory = z.infer<typeof pageMemory>;

/** After this long, the page itself is requested, to check whether the sitemap is right. */
const TRUSTED_MS = 7 * 24 * 60 * 60_000;
/** Sitemaps are generated at intervals, and clocks differ. */
const SITEMAP_DELAY_MS = 60 * 60_000;
const DAY_MS = 86_400_000;

export function pageMemoryKey(url: string): string {
  return `page:${addressKey(url)}`;
}

/** Pages that were read in another way are read again, whatever their site reports. */
export function readingMethod(settings: WebSettings): string {
  const { mintlify_cleanup, render_javascript, scroll_before_scraping } = settings;
  const flags = [mintlify_cleanup, render_javascript, render_javascript && scroll_before_scraping];
  return `${EXTRACTION_VERSION}:${flags.map(Number).join('')}`;
}

/**
 * Whether a sitemap shows that the page has not changed since it was fetched: the same `lastmod`, and its time (W3C
 * date and time, https://www.w3.org/TR/NOTE-datetime; a date without a time lasts until the end of its day) was over
 * by then. A date that never changes may be machine-made, so none is trusted forever.
 */
export function isCoveredByLastmod(
  remembered: PageMemory,
  lastmod: string | null,
  now: Date,
): boolean {
  if (lastmod === null || remembered.lastmod !== lastmod) return false;
  if (now.getTime() - remembered.at > TRUSTED_MS) return false;
  const time = Date.parse(lastmod);
  if (Number.isNaN(time)) return false;
  // A date alone is a day somewhere on Earth.
  const endsAt = lastmod.includes('T') ? time : time + 1.5 * DAY_MS;
  return endsAt + SITEMAP_DELAY_MS < remembered.at;
}

export function packLinks(links: readonly URL[], id: string): string[] {
  const { origin } = new URL(id);
  return links.map((link) => (link.origin === origin ? link.href.slice(origin.length) : link.href));
}

export function unpackLinks(memory: PageMemory): URL[] {
  return memory.links.flatMap((link) => URL.parse(link, memory.id) ?? []);
}
