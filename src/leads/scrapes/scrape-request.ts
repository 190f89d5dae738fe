import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cleanText } from '#src/documents/clean-text.ts';
import { Problem } from '#src/platform/errors.ts';
import { OutboundError, type OutboundGuard } from '#src/platform/outbound.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';
import { vetHost } from '#src/platform/vet-host.ts';
import { pageKey, plainAddress } from '#src/leads/visit/page-key.ts';
import {
  DEFAULT_ENRICHMENTS,
  type Enrichment,
  ENRICHMENTS,
  SCRAPE_MODES,
  type ScrapeMode,
} from '#src/tables/leads.ts';

const MAX_QUERY_LENGTH = 2_000;
const MAX_URLS = 50;
const DEFAULT_RESULTS = 25;

const line = z
  .string()
  .max(MAX_QUERY_LENGTH)
  .transform((text) => cleanText(text).replace(/\s+/gu, ' ').trim())
  .refine((text) => text !== '', 'must not be blank');

export const scrapeRequestSchema = z
  .object({
    mode: z
      .enum(SCRAPE_MODES)
      .describe('keyword_search: search for words. scrape_url: read the sites of addresses.'),
    query: line.nullish().describe('A search term, or the URL of a page.'),
    urls: z
      .array(line)
      .min(1)
      .max(MAX_URLS)
      .nullish()
      .describe(
        'Instead of `query`, with scrape_url: the URLs of several pages. Pages of one domain are read in one visit.',
      ),
    max_results: z
      .int()
      .min(1)
      .max(50)
      .nullish()
      .transform((count) => count ?? DEFAULT_RESULTS),
    enrichment: z
      .array(z.enum(ENRICHMENTS))
      .max(20)
      .nullish()
      .transform((wanted) =>
        ENRICHMENTS.filter((one) => (wanted ?? DEFAULT_ENRICHMENTS).includes(one)),
      )
      .describe(
        'Facts to look up for each lead; by default all but `other_socials`. An empty list: none.',
      ),
  })
  .meta({ id: 'LeadScraperRequest' });

/** A request in normalized form: equal requests have equal orders. */
export interface ScrapeOrder {
  mode: ScrapeMode;
  /** Words or an address; for several addresses, a description to display. */
  query: string;
  /** Several addresses, each page once; null for one. */
  urls: string[] | null;
  maxResults: number;
  enrichment: Enrichment[];
}

/**
 * Parses a request and vets its addresses.
 * @throws Problem BAD_REQUEST that names the field and the remedy
 */
export async function readScrapeRequest(
  guard: OutboundGuard,
  body: z.output<typeof scrapeRequestSchema>,
  signal: AbortSignal,
): Promise<ScrapeOrder> {
  const { mode, max_results: maxResults, enrichment } = body;
  const query = body.query ?? null;
  const urls = body.urls ?? null;
  if ((query === null) === (urls === null)) {
    const what = query === null ? 'is missing' : 'cannot be combined with body.urls';
    throw wrongField('query', `${what}. Give either query, or urls with mode scrape_url`);
  }
  if (mode === 'keyword_search') {
    if (query !== null) return { mode, query, urls: null, maxResults, enrichment };
    throw wrongField('urls', 'needs mode scrape_url. For words, give query');
  }
  const addresses =
    query === null
      ? await readAddresses(guard, urls ?? [], signal)
      : [await readAddress(guard, { text: query, field: 'query' }, signal)];
  const [first = ''] = addresses;
  const others = addresses.length - 1;
  return others === 0
    ? { mode, query: first, urls: null, maxResults, enrichment }
    : { mode, query: `${first} and ${others} more`, urls: addresses, maxResults, enrichment };
}

/** Each page once, however its address is spelled. */
async function readAddresses(
  guard: OutboundGuard,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const addresses = await Promise.all(
    urls.map((text, index) => readAddress(guard, { text, field: `urls[${index}]` }, signal)),
  );
  const byPage = Map.groupBy(addresses, (address) => {
    const url = plainAddress(withScheme(address));
    return url === null ? address : pageKey(url);
  });
  return [...byPage.values()].flatMap(([first]) => first ?? []);
}

async function readAddress(
  guard: OutboundGuard,
  { text, field }: { text: string; field: string },
  signal: AbortSignal,
): Promise<string> {
  const url = readUrl(text, field);
  if ((await vetHost(guard, url.hostname, signal)) === 'refused') {
    throw wrongField(
      field,
      `${url.hostname} cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS`,
    );
  }
  // Without a scheme, both `https` and `http` are tried.
  return HAS_SCHEME.test(text) ? url.href : url.href.slice('https://'.length);
}

/** A scheme and the two slashes after it. */
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** People write `example.com/team`. */
export function withScheme(address: string): string {
  return HAS_SCHEME.test(address) ? address : `https://${address}`;
}

function readUrl(text: string, field: string): URL {
  const url = URL.parse(withScheme(text));
  const isPlain = !/[\s\\]/.test(text) && url !== null && url.hostname !== '';
  if (!isPlain) {
    throw wrongField(
      field,
      'must be the URL of a web page when mode is scrape_url, such as https://example.com/team. For words, set mode to keyword_search',
    );
  }
  try {
    return callableUrl(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw wrongField(field, `cannot be called. ${error.message}`.replace(/\.$/, ''));
  }
}

function wrongField(field: string, sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.${field}: ${sentence}.`);
}

/** Equal for requests that may share a result; case does not matter in words. */
export function shareKeyOf({ mode, query, urls, maxResults, enrichment }: ScrapeOrder): string {
  const words = mode === 'keyword_search' ? query.toLowerCase() : query;
  return createHash('sha256')
    .update(JSON.stringify([mode, urls ?? words, maxResults, enrichment]))
    .digest('hex');
}
