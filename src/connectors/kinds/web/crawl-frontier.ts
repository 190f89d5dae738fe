import { z } from 'zod';
import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { addressKey } from './page-address.ts';

/** A URL to visit. */
export interface FrontierEntry {
  url: string;
  kind: 'page' | 'sitemap';
  /** Number of links from the base URL. */
  depth: number;
  /** As written in the sitemap. */
  lastmod: string | null;
  /** Visited again and read under its own URL: the canonical URL that it names is not a page. */
  own?: true;
  /** Waits for the page that had its text before; holds the text in the form of `prints`. */
  twinOf?: string;
}

export const frontierPosition = z.object({
  /** Entries that are done. */
  settled: z.int().nonnegative(),
  /** Chunks of the log written by this run. */
  chunks: z.int().nonnegative(),
  /** Whether there were more pages than the limit. */
  overflowed: z.boolean(),
});
export type FrontierPosition = z.infer<typeof frontierPosition>;

const loggedEntry = z.object({
  url: z.string(),
  kind: z.enum(['page', 'sitemap']),
  depth: z.int(),
  lastmod: z.string().nullable(),
  own: z.literal(true).optional(),
  twinOf: z.string().optional(),
});
const logChunk = z.object({
  queued: z.array(
    // The last element is there only for `own`.
    z.tuple(
      [z.string(), z.int(), z.enum(['page', 'sitemap']), z.string().nullable()],
      z.literal(true),
    ),
  ),
  claimed: z.array(z.string()),
  /** Pages that wait for the one at their canonical URL, preceded by its key. */
  waiting: z.array(z.tuple([z.string(), loggedEntry])),
  /** Keys of URLs for which nothing waits any more. */
  met: z.array(z.string()),
  /** The id of a document, and the hashes of its text. */
  owned: z.array(z.tuple([z.string()], z.string())),
  /** Keys of URLs that are too deep. */
  passedBy: z.array(z.string()),
});
type LogChunk = z.infer<typeof logChunk>;

function emptyChunk(): LogChunk {
  return { queued: [], claimed: [], waiting: [], met: [], owned: [], passedBy: [] };
}

/** A sitemap may add 50,000 URLs at once; a single memory row should not hold them all. */
const ENTRIES_PER_CHUNK = 1_000;
const CHUNKS_PER_RECALL = 50;
const MAX_SITEMAPS = 5_000;
const KEYS_KEPT = 10_000;
const MAX_PASSED_BY = 50_000;

/**
 * The queue of a crawl, with all URLs that it has seen.
 * It lives in memory (some 100 bytes a page, at most `maxPages` of them) and survives a crash through a log in the
 * pair's memory: each saved page appends what it discovered as `frontier:<n>`, so the cost of saving depends only on
 * what the page added, however long the queue is. The checkpoint holds only two numbers: how many entries are done
 * and how many chunks are written. A chunk is read again only if its number is below that of the checkpoint, so it
 * was written in this very run. The next run overwrites the keys from 0, and nothing needs to be deleted.
 */
export class CrawlFrontier {
  private readonly maxPages: number;
  private readonly entries: (FrontierEntry | null)[] = [];
  /** URL key → position in the queue. */
  private readonly places = new Map<string, number>();
  /** Keys of the ids that this run has reported. */
  private readonly claimed = new Set<string>();
  private readonly keys = new Map<string, string>();
  private pages = 0;
  private sitemaps = 0;
  private taken = 0;
  private settledCount = 0;
  private chunks = 0;
  private overflowed = false;
  private readonly waiting = new Map<string, FrontierEntry[]>();
  /** Hash of a text → id of the document that has it. */
  private readonly owners = new Map<string, string>();
  private readonly passedBy = new Set<string>();
  private uncounted = 0;
  private unsaved: LogChunk = emptyChunk();

  constructor(maxPages: number) {
    this.maxPages = maxPages;
  }

  get position(): FrontierPosition {
    return { settled: this.settledCount, chunks: this.chunks, overflowed: this.overflowed };
  }

  /** Pages known to the crawl. */
  get knownPages(): number {
    return this.pages;
  }

  /** Pages and sitemaps known to the crawl. */
  get known(): number {
    return this.entries.length;
  }

  /** Entries that are done. */
  get settled(): number {
    return this.settledCount;
  }

  /** Queues a URL unless it is known; URLs are visited in order of arrival. */
  add(entry: FrontierEntry): void {
    const key = this.keyOf(entry.url);
    if (this.places.has(key)) return;
    const isFull =
      entry.kind === 'page' ? this.pages >= this.maxPages : this.sitemaps >= MAX_SITEMAPS;
    if (isFull) {
      this.overflowed = true;
      return;
    }
    this.append(entry, key);
    this.unsaved.queued.push([entry.url, entry.depth, entry.kind, entry.lastmod]);
  }

  /** Queues a page again, to be read under its own URL. */
  revisit({ twinOf: _, ...entry }: FrontierEntry): void {
    this.append({ ...entry, own: true }, addressKey(entry.url));
    this.unsaved.queued.push([entry.url, entry.depth, entry.kind, entry.lastmod, true]);
  }

  /** The next entries to visit. */
  take(count: number): FrontierEntry[] {
    const next = this.entries
      .slice(this.taken, this.taken + count)
      .filter((entry) => entry !== null);
    this.taken += next.length;
    return next;
  }

  /** The oldest entry that was taken is done. */
  settle(): void {
    this.entries[this.settledCount] = null;
    this.settledCount += 1;
  }

  /** Whether the URL is still to be visited. */
  isPending(url: string): boolean {
    return (this.places.get(addressKey(url)) ?? -1) > this.settledCount;
  }

  /** Whether nothing else has been reported under this id in this run. */
  claim(id: string): boolean {
    const key = addressKey(id);
    if (this.claimed.has(key)) return false;
    this.claimed.add(key);
    this.unsaved.claimed.push(key);
    return true;
  }

  /** Whether something has been reported under this id in this run. */
  isClaimed(id: string): boolean {
    return this.claimed.has(addressKey(id));
  }

  /** The id of the document with one of these texts in this run. */
  ownerOf(prints: readonly string[]): string | null {
    const print = prints.find((one) => this.owners.has(one));
    return this.owners.get(print ?? '') ?? null;
  }

  /** Records this document as the owner of the text. */
  own(prints: readonly string[], id: string): void {
    for (const print of prints) this.owners.set(print, id);
    this.unsaved.owned.push([id, ...prints]);
  }

  /** Records a URL that is too deep to visit. */
  passBy(url: string): void {
    const key = this.keyOf(url);
    const isKnown = this.places.has(key) || this.passedBy.has(key);
    if (isKnown || this.passedBy.size >= MAX_PASSED_BY) return;
    this.passedBy.add(key);
    this.unsaved.passedBy.push(key);
    this.uncounted += 1;
  }

  /** How many URLs were too deep since the last call. */
  countTooDeep(): number {
    const count = this.uncounted;
    this.uncounted = 0;
    return count;
  }

  /** Postpones a page until the one at its canonical URL, which is still to be visited, has been seen. */
  putOff(entry: FrontierEntry, canonical: string): void {
    const key = addressKey(canonical);
    this.addWaiting(key, entry);
    this.unsaved.waiting.push([key, entry]);
  }

  /** Returns and releases the pages that waited for this one. */
  meet(url: string): FrontierEntry[] {
    const key = addressKey(url);
    const entries = this.waiting.get(key) ?? [];
    if (this.waiting.delete(key)) this.unsaved.met.push(key);
    return entries;
  }

  /** What to remember with the current position. */
  save(): MemoryEntry[] {
    const log = this.unsaved;
    this.unsaved = emptyChunk();
    const memory: MemoryEntry[] = [];
    const longest = Math.max(...Object.values(log).map(({ length }) => length));
    for (let at = 0; at < longest; at += ENTRIES_PER_CHUNK) {
      const to = at + ENTRIES_PER_CHUNK;
      const value: LogChunk = {
        queued: log.queued.slice(at, to),
        claimed: log.claimed.slice(at, to),
        waiting: log.waiting.slice(at, to),
        met: log.met.slice(at, to),
        owned: log.owned.slice(at, to),
        passedBy: log.passedBy.slice(at, to),
      };
      memory.push({ key: `frontier:${this.chunks}`, documentId: null, value });
      this.chunks += 1;
    }
    return memory;
  }

  /**
   * Reads the log of an interrupted run.
   * @returns false when it is incomplete: then start over
   */
  async restore(position: FrontierPosition, context: ConnectorContext): Promise<boolean> {
    for (let from = 0; from < position.chunks; from += CHUNKS_PER_RECALL) {
      const count = Math.min(CHUNKS_PER_RECALL, position.chunks - from);
      const keys = Array.from({ length: count }, (_, index) => `frontier:${from + index}`);
      const values = await context.recall(keys);
      for (const key of keys) {
        const chunk = logChunk.safeParse(values.get(key));
        if (!chunk.success) return false;
        for (const [url, depth, kind, lastmod, own] of chunk.data.queued) {
          this.append({ url, depth, kind, lastmod, ...(own && { own }) }, addressKey(url));
        }
        for (const claim of chunk.data.claimed) this.claimed.add(claim);
        for (const [id, ...prints] of chunk.data.owned) {
          for (const print of prints) this.owners.set(print, id);
        }
        for (const passed of chunk.data.passedBy) this.passedBy.add(passed);
        this.restoreWaiting(chunk.data);
      }
    }
    this.entries.fill(null, 0, position.settled);
    this.settledCount = position.settled;
    this.taken = position.settled;
    this.chunks = position.chunks;
    this.overflowed = position.overflowed;
    return true;
  }

  /** A site's navigation links every page to the same URLs. */
  private keyOf(url: string): string {
    const known = this.keys.get(url);
    if (known !== undefined) return known;
    if (this.keys.size >= KEYS_KEPT) this.keys.clear();
    const key = addressKey(url);
    this.keys.set(url, key);
    return key;
  }

  private restoreWaiting({ waiting, met }: LogChunk): void {
    for (const [key, { own, twinOf, ...entry }] of waiting) {
      this.addWaiting(key, { ...entry, ...(own && { own }), ...(twinOf && { twinOf }) });
    }
    for (const key of met) this.waiting.delete(key);
  }

  private addWaiting(key: string, entry: FrontierEntry): void {
    this.waiting.set(key, [...(this.waiting.get(key) ?? []), entry]);
  }

  private append(entry: FrontierEntry, key: string): void {
    this.places.set(key, this.entries.length);
    this.entries.push(entry);
    if (entry.own) return;
    if (entry.kind === 'page') this.pages += 1;
    else this.sitemaps += 1;
  }
}
