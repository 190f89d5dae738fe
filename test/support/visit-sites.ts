import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { VisitLimits } from '#src/leads/visit/visit-budget.ts';
import { type OnPage, type SiteVisit, visitSite } from '#src/leads/visit/visit-site.ts';
import type { Services } from '#src/services.ts';
import type { Enrichment } from '#src/tables/leads.ts';
import { fakeExtractor, type LeadSites, type SiteAnswer, startLeadSites } from './named-sites.ts';
import { openTestServices, type TestServices } from './test-services.ts';

export interface VisitOptions {
  wants?: Enrichment[];
  signal?: AbortSignal;
  limits?: Partial<VisitLimits>;
  services?: Partial<Services>;
  onPage?: OnPage;
  beforeRequest?: () => Promise<void>;
}

/** Visits over a separate database for one test file: no gap between requests, no browser, no real waits. */
export function openVisits() {
  let services: TestServices | null = null;
  const opened = (): TestServices => {
    if (services === null) throw new Error('Open the services before the first test.');
    return services;
  };
  beforeAll(async () => {
    services = await openTestServices({ LEAD_REQUEST_GAP_MS: '0' });
  });
  afterAll(() => opened()[Symbol.asyncDispose]());
  beforeEach(async () => {
    opened().waits.length = 0;
    await sql`delete from site_pace`.execute(opened().services.db);
  });

  async function visit(
    sites: LeadSites,
    start: string,
    options: VisitOptions = {},
  ): Promise<SiteVisit & { paths: string[]; read: string[] }> {
    const url = start.includes('://') ? start : sites.url(start);
    const extractor = fakeExtractor();
    const found = await visitSite(
      {
        ...opened().services,
        http: sites.http,
        leadExtractor: extractor,
        renderer: null,
        ...options.services,
      },
      { url, domain: registrableDomain(url) ?? '', wants: options.wants ?? ['email', 'phone'] },
      {
        signal: options.signal ?? new AbortController().signal,
        owner: 'one',
        onPage: options.onPage ?? (() => Promise.resolve()),
        ...(options.beforeRequest && { beforeRequest: options.beforeRequest }),
        ...(options.limits && { limits: options.limits }),
      },
    );
    const paths = found.pages.map((page) => page.url.replace(/^http:\/\//, '').replace(/:\d+/, ''));
    return { ...found, paths, read: extractor.read };
  }

  /** Visits a site with one page, which gives this response. */
  async function visitOne(answer: SiteAnswer, options: VisitOptions = {}) {
    await using sites = await startLeadSites({ 'acme.test/': answer });
    return await visit(sites, 'acme.test/', options);
  }

  return { opened, visit, visitOne };
}
