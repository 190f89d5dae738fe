import { startDeadline } from '#src/platform/deadline.ts';
import { GiveUp } from '#src/platform/errors.ts';
import { OutboundError } from '#src/platform/http.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { isDirectory } from '#src/leads/lexicon/directory-hosts.ts';
import type { ExtractedPage, PageToExtract } from '#src/leads/extract/extracted-page.ts';
import type { Trunk } from '#src/leads/extract/extensions.ts';
import { CookieJar } from './cookie-jar.ts';
import { whyUncallable } from './explain-fetch-failure.ts';
import { fetchPage, type FetchedPage, type PageFault } from './fetch-page.ts';
import { siteDomainOf } from './page-key.ts';
import { readSitemapLinks, SITEMAP_BYTES, type SitemapLinks } from './read-sitemap-links.ts';
import { type OriginRobots, ROBOTS_TIMEOUT_MS, robotsOf } from './robots.ts';
import { gapOf, pauseSite, takeTurn } from './site-pace.ts';
import type { VisitBudget } from './visit-budget.ts';

export type VisitServices = Pick<
  LeadServices,
  'db' | 'config' | 'http' | 'leadExtractor' | 'renderer' | 'wait'
>;

export type SitePageRead =
  | { kind: 'read'; page: ExtractedPage }
  | { kind: 'failed'; reason: string; lost: FailedPage; isMissing: boolean };

/** What cannot be read: the whole site for now; this page; the content of this page. */
export type FailedPage = 'site' | 'page' | 'content';

/** RFC 9309 §2.3.1.2 says five for robots.txt; the same limit applies to pages. */
const MAX_MOVES = 5;
const RENDER_TIMEOUT_MS = 20_000;
/** The maximum size of a rendered page. */
const MAX_RENDERED_CHARACTERS = 2 * 1024 * 1024;

export interface PageOptions {
  /** The page may have moved to another site. */
  mayLeave: boolean;
  /** It is about one of the organisations that the site lists. */
  isOfMember?: boolean;
}

/** Reads pages of one site: by its robots.txt, one request at a time and at its pace, within a budget. */
export class SiteReader {
  /** The site's registrable domain; another one once its start page has moved there. */
  domain: string;
  private readonly services: VisitServices;
  private readonly budget: VisitBudget;
  private readonly signal: AbortSignal;
  private readonly owner: string;
  private readonly beforeRequest: () => Promise<void>;
  private readonly cookies = new CookieJar();
  /** The country that the first page with one has shown. */
  private region: string | null = null;
  /** The house whose extensions the first page with one has shown. */
  private trunk: Trunk | null = null;
  private rendered = 0;

  constructor(
    services: VisitServices,
    options: {
      domain: string;
      budget: VisitBudget;
      signal: AbortSignal;
      owner: string;
      /** Called right before each request; its rejection ends the visit. */
      beforeRequest: () => Promise<void>;
    },
  ) {
    this.services = services;
    this.domain = options.domain;
    this.budget = options.budget;
    this.signal = options.signal;
    this.owner = options.owner;
    this.beforeRequest = options.beforeRequest;
  }

  /**
   * Reads one page, wherever on the site it has moved to. The start page may have moved to another site, which is
   * then visited instead.
   * @throws SlotTooFar, BudgetSpent when the visit has to end; the signal's reason
   */
  async read(start: string, options: PageOptions): Promise<SitePageRead> {
    let url = start;
    let hasRefreshed = false;
    let hasPaused = false;
    let hasRepeated = false;
    let moves = 0;
    while (moves <= MAX_MOVES) {
      const fault = whyUncallable(url);
      if (fault !== null) return failed(fault);
      const domain = siteDomainOf(url);
      // A site that has moved to a social network has no pages of its own there.
      if (domain !== this.domain && (!options.mayLeave || isDirectory(domain))) {
        return failed(`${new URL(start).hostname} redirects its readers to ${domain}.`);
      }
      this.domain = domain;
      const robots = await this.robots(url);
      const refusal = whyForbidden(url, robots);
      if (refusal !== null) return failed(refusal, robots.failure === null ? 'page' : 'site');
      await this.takeTurn(domain, robots);
      const fetched = await this.fetch(url, robots, !hasRefreshed);
      switch (fetched.kind) {
        case 'page':
          return this.extract({
            url,
            html: fetched.html,
            kind: fetched.format,
            isOfMember: options.isOfMember ?? false,
          });
        case 'failed':
          if (fetched.fault === 'broken' && !hasRepeated) {
            hasRepeated = true;
            break;
          }
          return lostPage(fetched);
        case 'busy':
          await pauseSite(this.services.db, domain, fetched.pauseMs);
          if (hasPaused) return failed(fetched.reason, 'site');
          hasPaused = true;
          break;
        case 'moved':
          moves += 1;
          url = fetched.url;
          hasRefreshed ||= fetched.isRefresh;
      }
    }
    return failed(`${new URL(start).hostname} redirected more than ${MAX_MOVES} times.`);
  }

  /** The robots.txt for this URL; requested when this process does not know it. */
  async robots(url: string): Promise<OriginRobots> {
    const { http, db } = this.services;
    const cache = robotsOf(http);
    const known = cache.known(url);
    if (known) return known;
    const domain = siteDomainOf(url);
    await this.takeTurn(domain, null);
    // Another visit may have fetched it in the meantime.
    const since = cache.known(url);
    if (since) return since;
    const robots = await this.budget.spend(ROBOTS_TIMEOUT_MS, (timeoutMs) =>
      cache.fetch(url, {
        signal: this.signal,
        timeoutMs,
        beforeHop: (hop) => this.takeTurn(siteDomainOf(hop), null),
      }),
    );
    if (robots.pauseMs !== null) await pauseSite(db, domain, robots.pauseMs);
    return robots;
  }

  /**
   * Null when there is no readable sitemap.
   * @throws as `read`
   */
  async sitemap(url: string): Promise<SitemapLinks | null> {
    if (siteDomainOf(url) !== this.domain) return null;
    const robots = await this.robots(url);
    if (!robots.isAllowed(url)) return null;
    await this.takeTurn(this.domain, robots);
    try {
      const {
        status,
        bytes,
        url: landed,
      } = await this.budget.spend(this.budget.limits.pageTimeoutMs, (timeoutMs) =>
        this.services.http.send({
          url,
          signal: this.signal,
          timeoutMs,
          maxBytes: SITEMAP_BYTES,
          excess: 'cut',
        }),
      );
      const isOfSite = siteDomainOf(landed) === this.domain;
      return status === 200 && isOfSite ? readSitemapLinks(bytes) : null;
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof OutboundError)) throw error;
      return null;
    }
  }

  private async takeTurn(domain: string, robots: OriginRobots | null): Promise<void> {
    const { signal, budget } = this;
    const waitedMs = await takeTurn(this.services, {
      domain,
      crawlDelayMs: robots?.crawlDelayMs ?? 0,
      leftMs: budget.leftMs,
      signal,
    });
    budget.note(waitedMs);
    await this.beforeRequest();
  }

  private async fetch(
    url: string,
    { crawlDelayMs }: OriginRobots,
    followsRefresh: boolean,
  ): Promise<FetchedPage> {
    const { signal, budget, services, cookies } = this;
    const startedMs = performance.now();
    const fetched = await budget.spend(budget.limits.pageTimeoutMs, (timeoutMs) =>
      fetchPage(services.http, { url, signal, timeoutMs, followsRefresh, cookies }),
    );
    const gapMs = gapOf(services, crawlDelayMs);
    // A slow site gets its pause after it has responded, not while it works.
    if (gapMs > 0 && performance.now() - startedMs > gapMs) {
      await pauseSite(services.db, this.domain, gapMs);
    }
    return fetched;
  }

  private async extract(page: PageToExtract): Promise<SitePageRead> {
    const plain = await this.extractOnce(page);
    if (plain.kind === 'failed' || !plain.page.needsRendering) return plain;
    const html = await this.render(page.url);
    const full = html === null ? null : await this.extractOnce({ ...page, html });
    return full?.kind === 'read' ? full : plain;
  }

  private async extractOnce(page: PageToExtract): Promise<SitePageRead> {
    const { signal, owner, services } = this;
    try {
      const { region, trunk } = this;
      const ofSite = { region, trunk };
      const extracted = await services.leadExtractor.extract({ ...page, ...ofSite, signal, owner });
      this.region ??= extracted.region ?? null;
      this.trunk ??= extracted.trunk ?? null;
      return { kind: 'read', page: extracted };
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
      return failed(
        `A page of ${new URL(page.url).hostname} could not be read: ${error.message}`,
        'content',
      );
    }
  }

  /** The page after its scripts have run; null when no browser can render it. Costs one more request, and is rare. */
  private async render(url: string): Promise<string | null> {
    const { services, budget, signal, owner } = this;
    const { renderer } = services;
    if (renderer === null || this.rendered >= budget.limits.renderedPages) return null;
    this.rendered += 1;
    try {
      await this.takeTurn(this.domain, await this.robots(url));
      const rendered = await budget.spend(RENDER_TIMEOUT_MS, async (timeoutMs) => {
        using deadline = startDeadline(signal, timeoutMs);
        return await renderer.render(url, { scroll: false, signal: deadline.signal, owner });
      });
      const isOfSite = siteDomainOf(rendered.url) === this.domain;
      const isPage = isOfSite && rendered.status < 400 && rendered.html !== '';
      return isPage ? rendered.html.slice(0, MAX_RENDERED_CHARACTERS) : null;
    } catch {
      signal.throwIfAborted();
      // If the browser fails or a limit is reached, the page as sent is used.
      return null;
    }
  }
}

function whyForbidden(url: string, robots: OriginRobots): string | null {
  if (robots.failure !== null) return robots.failure;
  if (robots.isAllowed(url)) return null;
  const { hostname, pathname } = new URL(url);
  return `${hostname} does not allow robots to read ${pathname.slice(0, 200)} (robots.txt).`;
}

function failed(reason: string, lost: FailedPage = 'page'): SitePageRead {
  return { kind: 'failed', reason, lost, isMissing: false };
}

function lostPage({ reason, fault }: { reason: string; fault: PageFault }): SitePageRead {
  const lost = fault === 'missing' || fault === 'refused' ? 'page' : 'site';
  return { kind: 'failed', reason, lost, isMissing: fault === 'missing' };
}
