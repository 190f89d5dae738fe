import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cleanText } from '#src/documents/clean-text.ts';
import { Problem } from '#src/platform/errors.ts';
import { OutboundError, type OutboundGuard } from '#src/platform/outbound.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';
import { vetHost } from '#src/platform/vet-host.ts';
import { type Enrichment, ENRICHMENTS, SCRAPE_MODES, type ScrapeMode } from '#src/tables/leads.ts';

const MAX_QUERY_LENGTH = 2_000;
const DEFAULT_RESULTS = 25;

export const scrapeRequestSchema = z
  .object({
    mode: z.enum(SCRAPE_MODES).describe('Whether `query` holds words or an address.'),
    query: z
      .string()
      .max(MAX_QUERY_LENGTH)
      .transform((text) => cleanText(text).replace(/\s+/gu, ' ').trim())
      .refine((text) => text !== '', 'must not be blank')
      .describe('A search term, or the URL of a page.'),
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
        ENRICHMENTS.filter(
          (one) => wanted === null || wanted === undefined || wanted.includes(one),
        ),
      )
      .describe(
        'What is looked up about each lead; all of it unless told. An empty list: nothing.',
      ),
  })
  .meta({ id: 'LeadScraperRequest' });

/** A request in normalized form: equal requests have equal orders. */
export interface ScrapeOrder {
  mode: ScrapeMode;
  query: string;
  maxResults: number;
  enrichment: Enrichment[];
}

/**
 * Parses a request and vets the address that it names.
 * @throws Problem BAD_REQUEST that names the field and the remedy
 */
export async function readScrapeRequest(
  guard: OutboundGuard,
  body: z.output<typeof scrapeRequestSchema>,
  signal: AbortSignal,
): Promise<ScrapeOrder> {
  const { mode, query, max_results: maxResults, enrichment } = body;
  if (mode === 'keyword_search') return { mode, query, maxResults, enrichment };
  const url = readUrl(query);
  // Without a scheme, both `https` and `http` are tried.
  const address = HAS_SCHEME.test(query) ? url.href : url.href.slice('https://'.length);
  if ((await vetHost(guard, url.hostname, signal)) === 'refused') {
    throw wrongQuery(
      `${url.hostname} cannot be reached from here. Only public addresses can be, and those that the operator has opened with OUTBOUND_ALLOW_CIDRS`,
    );
  }
  return { mode, query: address, maxResults, enrichment };
}

/** A scheme and the two slashes after it. */
export const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** People write `example.com/team`. */
function readUrl(text: string): URL {
  const url = URL.parse(HAS_SCHEME.test(text) ? text : `https://${text}`);
  const isPlain = !/[\s\\]/.test(text) && url !== null && url.hostname !== '';
  if (!isPlain) {
    throw wrongQuery(
      'must be the URL of a web page when mode is scrape_url, such as https://example.com/team. For words, set mode to keyword_search',
    );
  }
  try {
    return callableUrl(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw wrongQuery(`cannot be called. ${error.message}`.replace(/\.$/, ''));
  }
}

function wrongQuery(sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.query: ${sentence}.`);
}

/** Equal for requests that may share a result; case does not matter in words. */
export function shareKeyOf({ mode, query, maxResults, enrichment }: ScrapeOrder): string {
  const words = mode === 'keyword_search' ? query.toLowerCase() : query;
  return createHash('sha256')
    .update(JSON.stringify([mode, words, maxResults, enrichment]))
    .digest('hex');
}
