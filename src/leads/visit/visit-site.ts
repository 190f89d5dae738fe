import type { Enrichment, PageProblem } from '#src/tables/leads.ts';
import { hasFound } from './has-found.ts';
import { joinFrame } from './join-frame.ts';
import {
  discoverListed,
  discoverOthers,
  discoverPages,
  guessPages,
  isGermanSite,
  type SitePage,
  type SitePageKind,
} from './discover-pages.ts';
import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { homeOf, pageKey, plainAddress } from './page-key.ts';
import { ENOUGH_PAGES, OtherPages } from './other-pages.ts';
import { PageQueue, type QueuedPage } from './page-queue.ts';
import { SlotTooFar } from './site-pace.ts';
import { SiteReader, type VisitServices } from './site-reader.ts';
import { BudgetSpent, limitsFor, VisitBudget, type VisitLimits } from './visit-budget.ts';

/** The outcome of a visit. */
export interface SiteVisit {
  pages: ExtractedPage[];
  /** Why the start page could not be read, in a sentence that names the host; null when it was read. */
  failure: string | null;
  /** Pages that the site links to and that could not be read. Dead links do not count. */
  problems: PageProblem[];
  /** The site's registrable domain, after a move of the start page that of the new site. */
  domain: string;
}

/** Called after each page, with all pages read so far and the site's registrable domain by now. */
export type OnPage = (pages: readonly ExtractedPage[], domain: string) => Promise<void>;

interface SiteToVisit {
  /** Where the visit starts. */
  url: string;
  /** Further start pages of the site. */
  furtherUrls?: readonly string[];
  /** Its registrable domain. */
  domain: string;
  /** The facts wanted: a visit ends when it has found them all. */
  wants: readonly Enrichment[];
}

/**
 * Reads the pages of a site where contacts usually are: the start page, the home page, then the pages that these link
 * to. If they link to none, tries those in the sitemap, or the usual names of such pages. Skips unreadable pages,
 * except the start page, and says which.
 * @throws the signal's reason; what `beforeRequest` or `onPage` throw
 */
export async function visitSite(
  services: VisitServices,
  site: SiteToVisit,
  options: {
    signal: AbortSignal;
    /** The requesting workspace. */
    owner: string;
    onPage: OnPage;
    /** Called right before each request. */
    beforeRequest?: () => Promise<void>;
    limits?: Partial<VisitLimits>;
  },
): Promise<SiteVisit> {
  const usual = limitsFor(site.furtherUrls?.length ?? 0);
  const budget = new VisitBudget({ ...usual, ...options.limits });
  const { signal, owner, beforeRequest = async () => undefined } = options;
  const { domain } = site;
  const reader = new SiteReader(services, { domain, budget, signal, owner, beforeRequest });
  const visit = new Visit(reader, site, budget.limits, options.onPage);
  try {
    if (await visit.begin()) await visit.readOtherPages();
  } catch (error) {
    if (error instanceof SlotTooFar) visit.failure ??= error.message;
    else if (error instanceof BudgetSpent) visit.failure ??= tooSlow(site.url);
    else throw error;
    visit.cutShort();
  }
  const { pages, failure, problems } = visit;
  return { pages, failure: visit.hasStarted ? null : failure, problems, domain: reader.domain };
}

function tooSlow(url: string): string {
  return `${new URL(url).hostname} took too long to answer.`;
}

const MAX_SITEMAPS = 3;
/** Frames read in one visit. */
const MAX_FRAMES = 8;
/** More would fill a page without saying more. */
const MAX_PROBLEMS = 20;

/** Kinds of pages that usually add facts beyond those already found. */
const TELLING: readonly SitePageKind[] = [
  'start',
  'home',
  'contact',
  'imprint',
  'team',
  'members',
  'about',
  'person',
  'member',
  'vcard',
  'support',
];

class Visit {
  readonly pages: ExtractedPage[] = [];
  readonly problems: PageProblem[] = [];
  failure: string | null = null;
  hasStarted = false;
  private readonly reader: SiteReader;
  private readonly site: SiteToVisit;
  private readonly limits: VisitLimits;
  private readonly onPage: OnPage;
  /** The page that is being read, if the site names it. */
  private reading: string | null = null;
  private readonly queue = new PageQueue();
  private readonly readKeys = new Set<string>();
  private home: string;
  /** Pages that the site itself has named. */
  private named = 0;
  private readonly others = new OtherPages();
  private hasAskedSitemap = false;
  private hasGuessed = false;
  private frames = 0;

  constructor(reader: SiteReader, site: SiteToVisit, limits: VisitLimits, onPage: OnPage) {
    this.reader = reader;
    this.site = site;
    this.limits = limits;
    this.onPage = onPage;
    this.home = homeOf(site.url);
  }

  /**
   * Reads the start page.
   * @returns whether the visit can continue: if that page is missing, the site may have others
   */
  async begin(): Promise<boolean> {
    const { url } = this.site;
    this.queue.mark(url);
    // The request names these pages, so each is read.
    const further = this.site.furtherUrls ?? [];
    this.queue.add(
      further.map((one) => ({ url: one, kind: 'start', share: 1 })),
      0,
    );
    const start = await this.reader.read(url, { mayLeave: true });
    if (start.kind === 'read') {
      this.hasStarted = true;
      this.home = homeOf(start.page.url);
      await this.take(start.page, 0);
    } else {
      this.failure = start.reason;
    }
    // Unless the visit has started there.
    this.queue.add([{ url: this.home, kind: 'home', share: 1 }], 0);
    if (start.kind === 'read' || start.lost === 'content') return true;
    return start.lost === 'page' && this.queue.has('start', 'home');
  }

  /** Reads the other pages, until there are enough. */
  async readOtherPages(): Promise<void> {
    while (this.pages.length < this.limits.pages && !this.isEnough()) {
      const next = this.queue.take(this.isGerman()) ?? (await this.findMore());
      if (next === null) return;
      const mayLeave = this.pages.length === 0;
      this.reading = isNamed(next) ? next.url : null;
      const isOfMember = next.kind === 'member' || next.kind === 'members';
      const read = await this.reader.read(next.url, { mayLeave, isOfMember });
      if (read.kind === 'read') await this.take(read.page, next.depth);
      else if (!read.isMissing) this.note(this.reading, read.reason);
      this.reading = null;
    }
  }

  /** Notes what the visit would have read, had it not run out of time or requests. */
  cutShort(): void {
    const { hostname } = new URL(this.home);
    const reason = `The visit to ${hostname} ended before this page was read: it took too long.`;
    for (const url of [this.reading, ...this.queue.named()]) this.note(url, reason);
  }

  private note(url: string | null, reason: string): void {
    if (url !== null && this.problems.length < MAX_PROBLEMS) this.problems.push({ url, reason });
  }

  /** Whether everything wanted about the organisation is found, and no page is left that usually adds more. */
  private isEnough(): boolean {
    if (this.queue.has(...TELLING) || this.others.isWorthMore(this.named, this.queue)) return false;
    return this.pages.length > 0 && hasFound(this.pages, this.site.wants);
  }

  private async take(page: ExtractedPage, depth: number): Promise<void> {
    const address = plainAddress(page.url);
    const key = address ? pageKey(address) : page.url;
    // Several URLs may lead to one page.
    if (this.readKeys.has(key)) return;
    this.readKeys.add(key);
    this.queue.mark(page.url);
    // Its links have been queued; keeping thousands of long ones would only fill the memory until the visit ends.
    this.pages.push({ ...page, links: [] });
    await this.followLinks(page, depth);
    await this.onPage(this.pages, this.reader.domain);
  }

  private async followLinks(page: ExtractedPage, depth: number): Promise<void> {
    const { domain } = this.reader;
    const found = discoverPages(page, domain);
    const isNear = depth < this.limits.depth;
    const further = found.filter(({ kind }) => kind !== 'frame' && (isNear || isOfPeople(kind)));
    if (depth < this.limits.peopleDepth) this.addNamed(further, depth + 1);
    if (isNear) this.others.note(discoverOthers(page, domain), depth + 1, this.queue);
    await this.readFrames(
      found.filter(({ kind }) => kind === 'frame'),
      depth,
    );
  }

  /** Merges frames into the page read last. Their links count as links of that page. */
  private async readFrames(frames: readonly SitePage[], depth: number): Promise<void> {
    const place = this.pages.length - 1;
    for (const { url } of frames.slice(0, this.limits.frames)) {
      if (this.frames >= MAX_FRAMES || !this.queue.mark(url)) continue;
      this.frames += 1;
      const named = this.reading;
      this.reading = url;
      const read = await this.reader.read(url, { mayLeave: false });
      this.reading = named;
      if (read.kind === 'failed') {
        if (!read.isMissing) this.note(url, read.reason);
        continue;
      }
      const parent = this.pages[place];
      if (parent) this.pages[place] = joinFrame(parent, read.page);
      await this.followLinks(
        { ...read.page, links: read.page.links.filter(({ role }) => role !== 'frame') },
        depth,
      );
    }
  }

  /** The next page, when no link leads to one. */
  private async findMore(): Promise<QueuedPage | null> {
    // If no page of a site could be read, nothing is guessed.
    if (this.pages.length === 0) return null;
    if (!this.hasAskedSitemap) {
      this.hasAskedSitemap = true;
      await this.askSitemaps();
    }
    if (this.others.areWanted(this.named)) {
      this.others.moveTo(this.queue);
      const other = this.queue.take(this.isGerman());
      if (other !== null) return other;
    }
    if (this.named === 0 && !this.hasGuessed) {
      this.hasGuessed = true;
      this.queue.add(guessPages(this.home, this.isGerman()), this.limits.depth);
    }
    return this.queue.take(this.isGerman());
  }

  private async askSitemaps(): Promise<void> {
    const { sitemaps } = await this.reader.robots(this.home);
    if (this.named >= ENOUGH_PAGES || (sitemaps.length === 0 && this.named > 0)) return;
    const waiting = sitemaps.length > 0 ? [...sitemaps] : ['/sitemap.xml'];
    for (let asked = 0; asked < MAX_SITEMAPS && this.named < ENOUGH_PAGES; asked += 1) {
      const next = waiting.shift();
      if (next === undefined) return;
      const url = plainAddress(URL.parse(next, this.home)?.href ?? '');
      const sitemap = url === null ? null : await this.reader.sitemap(url.href);
      if (sitemap === null) continue;
      this.addNamed(discoverListed(sitemap.pages, this.reader.domain), 1);
      waiting.unshift(...sitemap.sitemaps.slice(0, MAX_SITEMAPS));
    }
  }

  private addNamed(pages: readonly SitePage[], depth: number): void {
    this.named += pages.length;
    this.queue.add(pages, depth);
  }

  private isGerman(): boolean {
    return isGermanSite(this.home, this.pages[0]?.language ?? '');
  }
}

function isNamed({ kind, isGuessed }: SitePage): boolean {
  return isGuessed !== true && kind !== 'home' && kind !== 'other';
}

function isOfPeople(kind: SitePageKind): boolean {
  return kind === 'person' || kind === 'vcard';
}
