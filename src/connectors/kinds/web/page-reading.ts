import type { OutboundResponse } from '#src/platform/http.ts';
import type { ConnectorContext, ConnectorDocument } from '#src/connectors/source/connector.ts';
import type { CrawlFrontier, FrontierEntry } from './crawl-frontier.ts';
import type { SiteScope } from './page-address.ts';
import { packLinks, type PageMemory, readingMethod } from './page-memory.ts';
import type { Robots } from './read-robots.ts';
import type { SiteFrame } from './site-frame.ts';
import type { WebSettings } from './web-settings.ts';

/** The state of one crawl: what it may read, what it has seen, and its services. */
export interface Crawl {
  readonly settings: WebSettings;
  readonly context: ConnectorContext;
  readonly robots: Robots;
  readonly frontier: CrawlFrontier;
  /** False when only ids are needed: files are then not parsed. */
  readonly contentNeeded: boolean;
  /** Changes once, when the base URL turns out to have moved. */
  scope: SiteScope;
  /** Consecutive pages that could not be reached. */
  unavailableInARow: number;
  /** What pages of the site have in common. */
  readonly frame: SiteFrame;
  /** Characters of the open pages that wait until enough others have been learned from. */
  openCharacters: number;
}

/** A fetched page, before it is known which parts belong to the site and which to the page. */
export interface OpenReading {
  kind: 'open';
  links: URL[];
  scope: SiteScope;
  /** Counts what the page has around its text. */
  learn: () => void;
  /** Reads the page, using what was learned from it and from others. */
  finish: () => Promise<PageReading>;
}

/** What was found at one URL. */
export type PageReading =
  | {
      kind: 'read';
      /** The id that it asks for: its canonical URL. */
      id: string;
      /** Null: unchanged. */
      document: ConnectorDocument | null;
      /** Null: the memory is still valid. */
      memory: PageMemory | null;
      links: URL[];
      /** Hashes of its text and of its bytes: a page that shares one of them is the same page. */
      prints: readonly string[];
      /** Whether it has more links than the limit. */
      isCut?: boolean;
      scope: SiteScope;
    }
  | { kind: 'skipped'; reason: string; links: URL[] }
  | { kind: 'gone' }
  | { kind: 'failed'; reason: string; error: Error | null };

/** A response that holds a page, and everything that its reading depends on. */
export interface FoundPage {
  entry: FrontierEntry;
  response: OutboundResponse;
  /** The URL after redirects. */
  place: URL;
  scope: SiteScope;
  /** Hash of the bytes. */
  raw: string;
  /** What is remembered of the page and still valid. */
  known: PageMemory | null;
}

export function skip(reason: string, links: URL[] = []): PageReading {
  return { kind: 'skipped', reason, links };
}

export function fail(reason: string): PageReading {
  return { kind: 'failed', reason, error: null };
}

export function blankDocument(id: string): ConnectorDocument {
  return {
    id,
    semanticIdentifier: id,
    title: null,
    sections: [],
    metadata: {},
    updatedAt: null,
    primaryOwners: [],
    secondaryOwners: [],
    source: null,
  };
}

/** When the page changed, according to the best available evidence; never in the future. */
export function changedAt(
  own: Date | null,
  { entry, response }: FoundPage,
  now: Date,
): Date | null {
  const sitemap = Date.parse(entry.lastmod ?? '');
  const header = Date.parse(response.headers.get('last-modified') ?? '');
  const times = [own?.getTime() ?? Number.NaN, sitemap, header];
  const time = times.find((ms) => !Number.isNaN(ms) && ms <= now.getTime());
  return time === undefined ? null : new Date(time);
}

export function memoryOf(
  { settings, context }: Crawl,
  { entry, response, raw }: Pick<FoundPage, 'entry' | 'response' | 'raw'>,
  facts: { id: string; hash: string; links: readonly URL[]; doubts?: readonly string[] },
): PageMemory {
  const { id, hash, links, doubts = [] } = facts;
  return {
    how: readingMethod(settings),
    id,
    etag: response.headers.get('etag'),
    modified: response.headers.get('last-modified'),
    raw,
    hash,
    lastmod: entry.lastmod,
    at: context.clock().getTime(),
    links: packLinks(links, id),
    doubts: [...doubts],
    isTwin: false,
  };
}
