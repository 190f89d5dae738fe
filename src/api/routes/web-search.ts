import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { findWebPages } from '#src/chat/search/find-web-pages.ts';
import {
  presentPage,
  presentResult,
  webContentSchema,
  webResultSchema,
} from '#src/chat/search/present-web.ts';
import { readWebPages, toPageUrls } from '#src/chat/search/read-web-pages.ts';
import { tidyTexts } from '#src/chat/tools/text-list.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { openSearchProvider } from '#src/leads/search/open-search-provider.ts';
import { SearchProviderFailed } from '#src/leads/search/search-provider.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';

const WEB = { tag: 'Search', family: 'platform', scope: 'read', method: 'POST' } as const;
const QUERY_LIMITS = { count: 10, length: 400 };
const MAX_URLS = 10;
/** Per answer: about 600 KB. */
const BUDGET_TOKENS = 150_000;

const searchSchema = z.object({
  queries: z
    .array(z.string())
    .min(1)
    .max(QUERY_LIMITS.count)
    .transform((queries) => tidyTexts(queries, QUERY_LIMITS))
    .refine((queries) => queries.length > 0, 'must not all be blank'),
  max_results: z
    .int()
    .min(1)
    .max(20)
    .nullish()
    .transform((count) => count ?? 10)
    .describe('For each query; 10 unless told.'),
});

const urlsSchema = z.object({
  urls: z
    .array(z.string().max(2_000))
    .min(1)
    .max(MAX_URLS)
    .transform(toPageUrls)
    .refine((urls) => urls.length > 0, 'must not all be blank'),
});

const resultsReply = z.object({
  results: z.array(webResultSchema),
  provider_type: z.string(),
});
const contentsReply = z.object({ results: z.array(webContentSchema), provider_type: z.null() });
const fullReply = z.object({
  search_provider_type: z.string(),
  content_provider_type: z.null(),
  search_results: z.array(webResultSchema),
  full_content_results: z.array(webContentSchema),
});

export const webSearchRoutes: readonly Route[] = [
  defineRoute({
    ...WEB,
    path: '/web-search/search-lite',
    summary: 'Search the public web',
    description:
      'By the search engine of LEAD_SEARCH_PROVIDER. The lists of several queries are fused, each page once; the numbers go by rank.',
    body: searchSchema,
    reply: resultsReply,
    errors: ['BAD_GATEWAY'],
    async handle({ services, body, signal }) {
      const { documents, provider } = await search(services, body, signal);
      const results = documents.map((document, index) => presentResult(document, index + 1));
      return { results, provider_type: provider };
    },
  }),
  defineRoute({
    ...WEB,
    path: '/web-search/open-urls',
    summary: 'Read pages of the web as text',
    description:
      'HTML as Markdown, PDF and office files as text. A page that cannot be read says why, in `error`; private addresses are never read. The numbers are the places among the addresses.',
    body: urlsSchema,
    reply: contentsReply,
    async handle({ services, principal, body, signal }) {
      const options = { budgetTokens: BUDGET_TOKENS, signal };
      const pages = await readWebPages(services, principal, body.urls, options);
      const results = pages.map((page, index) => presentPage(page, index + 1));
      return { results, provider_type: null };
    },
  }),
  defineRoute({
    ...WEB,
    path: '/web-search/search',
    summary: 'Search the public web and read the best pages',
    description:
      'The results of search-lite, and the text of the first ten of them. A page has one number in both lists.',
    body: searchSchema,
    reply: fullReply,
    errors: ['BAD_GATEWAY'],
    async handle({ services, principal, body, signal }) {
      const { documents, provider } = await search(services, body, signal);
      const urls = documents.slice(0, MAX_URLS).map(({ link }) => link ?? '');
      const options = { budgetTokens: BUDGET_TOKENS, signal };
      const pages = await readWebPages(services, principal, urls, options);
      return {
        search_provider_type: provider,
        content_provider_type: null,
        search_results: documents.map((document, index) => presentResult(document, index + 1)),
        full_content_results: pages.map((page, index) => presentPage(page, index + 1)),
      };
    },
  }),
];

async function search(
  services: Services,
  { queries, max_results: perQuery }: z.output<typeof searchSchema>,
  signal: AbortSignal,
): Promise<{ documents: SearchDoc[]; provider: string }> {
  const provider = openSearchProvider(services);
  if (provider === null) {
    throw new Problem(
      'BAD_REQUEST',
      'No web search is configured. The operator chooses one with LEAD_SEARCH_PROVIDER: searxng or brave.',
    );
  }
  try {
    const { documents } = await findWebPages(provider, queries, { perQuery, signal });
    return { documents, provider: provider.name };
  } catch (error) {
    if (!(error instanceof SearchProviderFailed)) throw error;
    throw new Problem('BAD_GATEWAY', error.message, { cause: error });
  }
}
