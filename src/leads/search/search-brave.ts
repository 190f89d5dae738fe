import { z } from 'zod';
import {
  askSearchProvider,
  type ProviderAddress,
  type ProviderAnswer,
} from './ask-search-provider.ts';
import {
  type FoundPage,
  foundPage,
  type SearchProvider,
  SearchProviderFailed,
} from './search-provider.ts';

/** Brave's maximum per request. */
const RESULTS_PER_PAGE = 20;
/** For the offset, which counts pages from 0. */
const MAX_OFFSET = 9;
/** Longer queries are refused. */
const MAX_QUERY_LENGTH = 400;
const MAX_QUERY_WORDS = 50;

const answerSchema = z.object({
  query: z.object({ more_results_available: z.boolean().catch(true) }).catch({
    more_results_available: true,
  }),
  /** Omitted when nothing was found. */
  web: z.object({ results: z.array(z.unknown()) }).nullish(),
});
const resultSchema = z.object({
  url: z.string(),
  title: z.string().catch(''),
  description: z.string().catch(''),
});
const refusalSchema = z.object({ error: z.object({ code: z.string().regex(/^[A-Z_]{3,60}$/) }) });

/** Brave's web search (https://api-dashboard.search.brave.com/app/documentation/web-search). */
export function openBrave(options: {
  baseUrl: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
  timeoutMs?: number;
}): SearchProvider {
  const { apiKey, fetch, timeoutMs } = options;
  const base = new URL(options.baseUrl);
  const address: ProviderAddress = {
    label: `Brave Search at ${base.host}`,
    host: base.hostname,
    setting: 'BRAVE_API_URL',
  };
  return {
    name: 'brave',
    async find(query, { page, signal }) {
      // A library that rejects the header value would quote the key in its error.
      if (!/^[\x21-\x7e]+$/.test(apiKey)) throw keyProblem(address.label, 'it is not a key');
      if (page - 1 > MAX_OFFSET) return [];
      const url = new URL(`${base.pathname.replace(/\/+$/, '')}/res/v1/web/search`, base.origin);
      url.search = new URLSearchParams({
        q: shortened(query),
        count: String(RESULTS_PER_PAGE),
        offset: String(page - 1),
        result_filter: 'web',
        text_decorations: 'false',
      }).toString();
      const headers = { 'x-subscription-token': apiKey };
      const request = { url, headers, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      return readResults(await askSearchProvider(fetch, address, request), address);
    },
  };
}

function shortened(query: string): string {
  const words = query.trim().split(/\s+/).slice(0, MAX_QUERY_WORDS).join(' ');
  return words.slice(0, MAX_QUERY_LENGTH).toWellFormed();
}

function readResults(answer: ProviderAnswer, { label, setting }: ProviderAddress): FoundPage[] {
  const failure = refusalOf(answer, label, setting);
  if (failure) throw failure;
  const parsed = answerSchema.safeParse(answer.json);
  if (!parsed.success) {
    throw new SearchProviderFailed(
      `${label} did not answer with search results in JSON. Check ${setting}.`,
      { isTemporary: false },
    );
  }
  return (parsed.data.web?.results ?? []).flatMap((one) => {
    const result = resultSchema.safeParse(one);
    if (!result.success) return [];
    return foundPage(result.data.url, result.data.title, result.data.description) ?? [];
  });
}

/** Null for a readable response. */
function refusalOf(
  { status, retryAfterSeconds, json }: ProviderAnswer,
  label: string,
  setting: string,
): SearchProviderFailed | null {
  if (status === 200) return null;
  if (status === 401 || status === 403 || status === 422) {
    const refusal = refusalSchema.safeParse(json);
    return keyProblem(label, refusal.success ? refusal.data.error.code : String(status));
  }
  if (status === 429) {
    const when =
      retryAfterSeconds === null ? 'Try again later' : `Try again in ${retryAfterSeconds} s`;
    return new SearchProviderFailed(
      `${label} received more requests than the plan of BRAVE_API_KEY allows (429). ${when}, or choose a larger plan.`,
      { isTemporary: true },
    );
  }
  if (status >= 500) {
    return new SearchProviderFailed(`${label} failed with ${status}. Try again later.`, {
      isTemporary: true,
    });
  }
  return new SearchProviderFailed(`${label} answered ${status}. Check ${setting}.`, {
    isTemporary: false,
  });
}

function keyProblem(label: string, reason: string): SearchProviderFailed {
  return new SearchProviderFailed(
    `${label} rejects the key in BRAVE_API_KEY (${reason}). Check that it is complete, active, and for a plan with web search.`,
    { isTemporary: false },
  );
}
