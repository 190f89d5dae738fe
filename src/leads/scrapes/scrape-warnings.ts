import type { ScrapeDetails } from './scrapes.ts';

/** What a reader of a result should know about what is not in it, a sentence each. Empty while the scrape runs. */
export function scrapeWarnings({
  scrape,
  sites,
}: Pick<ScrapeDetails, 'scrape' | 'sites'>): string[] {
  if (scrape.finished_at === null) return [];
  return [
    ...providerWarnings(scrape, sites.length),
    ...omittedWarnings(scrape),
    ...sites.flatMap(siteWarning),
  ];
}

function providerWarnings(
  { provider, status, leads_found: leads }: ScrapeDetails['scrape'],
  sites: number,
): string[] {
  if (provider !== 'index' || status !== 'completed' || leads > 0) return [];
  const found = sites === 0 ? 'none of them fits' : `no lead is on the ${sites} that fit`;
  return [
    `Only web pages that are indexed here were searched, and ${found}. To search the whole web, set LEAD_SEARCH_PROVIDER to searxng or brave; to read one site, give its address with scrape_url.`,
  ];
}

function omittedWarnings({ far_sites: omitted }: ScrapeDetails['scrape']): string[] {
  if (omitted === 0) return [];
  const sites = omitted === 1 ? '1 site was' : `${omitted} sites were`;
  return [`${sites} not about the query and omitted.`];
}

function siteWarning({
  domain,
  status,
  error,
  problems,
}: ScrapeDetails['sites'][number]): string[] {
  if (status === 'failed') return [`${domain} could not be read. ${error ?? ''}`.trim()];
  const [first] = problems;
  if (status !== 'partial' || !first) return [];
  const pages = problems.length === 1 ? '1 page' : `${problems.length} pages`;
  const path = URL.parse(first.url)?.pathname ?? first.url;
  return [
    `${domain} was read in part: ${pages} could not be read, so contacts may be missing. ${path}: ${first.reason}`,
  ];
}
