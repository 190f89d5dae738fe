import { z } from 'zod';
import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import type { TextUnit } from './page-units.ts';

/** A text seen on this many pages belongs to the site. Smaller sites lose nothing. */
const MIN_PAGES = 6;
/** Within the text of pages, only what is on this share of all pages counts as the site's. */
const COMMON_SHARE = 0.5;
const MIN_COMMON_PAGES = 12;
/** A text of this length that is not a link is kept on the first page that has it. */
const NOTICE_LENGTH = 80;
/** 20 bytes each, in one row that is written with each step of a crawl that found pages. */
const MAX_COUNTED = 4_000;
const MAX_DOUBTS = 24;
/** A single text does not make a frame. */
const MIN_SETTLED = 2;
const MEMORY_KEY = 'frame';

const savedFrame = z.object({
  pages: z.int().nonnegative(),
  counts: z.record(z.string(), z.int().positive()),
  common: z.array(z.string()),
  firsts: z.record(z.string(), z.string()),
});

/**
 * What the pages of a site say around their texts: how many pages had each piece of text in a place where a frame may
 * be. It is counted over all runs of a pair, and saved together with the pages that it was learned from, so each page
 * counts once. Once known, a text stays known, so that a page read again looks as before.
 * Counts are bounded as in lossy counting (Manku and Motwani, "Approximate Frequency Counts over Data Streams",
 * 2002): when there are too many, the rarest are dropped. A text on one page in a hundred or more is still found.
 */
export class SiteFrame {
  private readonly counts = new Map<string, number>();
  private readonly common = new Set<string>();
  /** Long texts → the page that had them first. */
  private readonly firsts = new Map<string, string>();
  private pages = 0;
  private hasNews = false;

  static async open(context: Pick<ConnectorContext, 'recall'>): Promise<SiteFrame> {
    const frame = new SiteFrame();
    const values = await context.recall([MEMORY_KEY]);
    const saved = savedFrame.safeParse(values.get(MEMORY_KEY));
    if (!saved.success) return frame;
    frame.pages = saved.data.pages;
    for (const [key, count] of Object.entries(saved.data.counts)) frame.counts.set(key, count);
    for (const key of saved.data.common) frame.common.add(key);
    for (const [key, page] of Object.entries(saved.data.firsts)) frame.firsts.set(key, page);
    return frame;
  }

  /** Counts the texts of a page that has not been counted before. */
  learn(page: string, units: readonly TextUnit[]): void {
    this.pages += 1;
    this.hasNews = true;
    for (const { key, isLink, length } of new Map(units.map((unit) => [unit.key, unit])).values()) {
      const count = (this.counts.get(key) ?? 0) + 1;
      this.counts.set(key, count);
      if (count === 1 && !isLink && length >= NOTICE_LENGTH) this.firsts.set(key, page);
      if (count >= MIN_COMMON_PAGES && count >= this.pages * COMMON_SHARE) this.common.add(key);
    }
    if (this.counts.size > MAX_COUNTED) this.forgetRarest();
  }

  /** Whether enough pages have it. A long text still belongs to the first page that had it. */
  isKnown({ key }: Pick<TextUnit, 'key'>, page: string): boolean {
    return this.isRepeated(key) && this.firsts.get(key) !== page;
  }

  /** Whether so many pages have it that it is the site's even within their text. */
  isCommon({ key }: Pick<TextUnit, 'key'>, page: string): boolean {
    return this.common.has(key) && this.firsts.get(key) !== page;
  }

  isRepeated(key: string): boolean {
    return (this.counts.get(key) ?? 0) >= MIN_PAGES;
  }

  /** Texts that are on a few pages and may turn out to be on more, the most frequent first. */
  doubtsAbout(units: readonly TextUnit[]): string[] {
    const unknown = units.filter(({ key }) => !this.isRepeated(key));
    const countOf = ({ key }: TextUnit): number => this.counts.get(key) ?? 0;
    const likeliest = unknown.toSorted((a, b) => countOf(b) - countOf(a));
    return likeliest.slice(0, MAX_DOUBTS).map(({ key }) => key);
  }

  /** Whether a page that was read with these doubts would look different now. */
  settles(doubts: readonly string[]): boolean {
    return doubts.filter((key) => this.isRepeated(key)).length >= MIN_SETTLED;
  }

  /** What to remember with the pages that were learned from. */
  save(): MemoryEntry[] {
    if (!this.hasNews) return [];
    this.hasNews = false;
    const value = {
      pages: this.pages,
      counts: Object.fromEntries(this.counts),
      common: [...this.common],
      firsts: Object.fromEntries(this.firsts),
    };
    return [{ key: MEMORY_KEY, documentId: null, value }];
  }

  private forgetRarest(): void {
    for (let rare = 1; this.counts.size > MAX_COUNTED / 2; rare += 1) {
      for (const [key, count] of this.counts) {
        if (count > rare) continue;
        this.counts.delete(key);
        this.firsts.delete(key);
        this.common.delete(key);
      }
    }
  }
}
