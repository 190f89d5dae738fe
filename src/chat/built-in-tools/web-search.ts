import { z } from 'zod';

import { findWebPages, type WebResults } from '#src/chat/search/find-web-pages.ts';
import { openSearchProvider } from '#src/leads/search/open-search-provider.ts';
import { type SearchProvider, SearchProviderFailed } from '#src/leads/search/search-provider.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { textList, tidyTexts } from '#src/chat/tools/text-list.ts';
import {
  defineTool,
  type Tool,
  type ToolContext,
  ToolFailed,
  TOOL_IDS,
} from '#src/chat/tools/tool.ts';

const QUERY_LIMITS = { count: 5, length: 400 };
const RESULTS_PER_QUERY = 10;
const MAX_RESULTS = 20;

const INPUT = z.object({
  queries: textList('One to five short searches, each as one would type it into a search engine.'),
});

/** The tool that searches the web; null when LEAD_SEARCH_PROVIDER names no search engine. */
export function createWebSearch(
  services: Pick<ChatServices, 'config' | 'operatorFetch'>,
): Tool | null {
  const provider = openSearchProvider(services);
  return provider && webSearchBy(provider);
}

function webSearchBy(provider: SearchProvider): Tool {
  return defineTool({
    id: TOOL_IDS.webSearch,
    name: 'web_search',
    description:
      'Searches the public web. Use it for what the workspace cannot know, or for what is new. The results are titles and short excerpts; open the pages that matter with open_url.',
    mergedBy: 'queries',
    showFailure: () => ({
      start: { type: 'search_tool_start', is_internet_search: true },
      error: null,
    }),
    input: INPUT,
    async *run(input, context) {
      yield { type: 'search_tool_start', is_internet_search: true };
      const queries = tidyTexts(input.queries, QUERY_LIMITS);
      if (queries.length === 0) throw new ToolFailed('queries is empty. Name what to search for.');
      yield { type: 'search_tool_queries_delta', queries };
      const found = await search(provider, queries, context.signal);
      const documents = found.documents.slice(0, MAX_RESULTS);
      if (documents.length > 0) yield { type: 'search_tool_documents_delta', documents };
      return { text: describeResults({ ...found, documents }, context), documents };
    },
  });
}

async function search(
  provider: SearchProvider,
  queries: readonly string[],
  signal: AbortSignal,
): Promise<WebResults> {
  try {
    return await findWebPages(provider, queries, { perQuery: RESULTS_PER_QUERY, signal });
  } catch (error) {
    if (!(error instanceof SearchProviderFailed)) throw error;
    throw new ToolFailed(error.message, { cause: error });
  }
}

/** Includes URLs, because `open_url` needs them. */
function describeResults({ documents, failures }: WebResults, { numbers }: ToolContext): string {
  const results = documents.map((document) => ({
    citation: numbers.numberOf(document),
    title: document.semantic_identifier,
    url: document.link,
    snippet: document.blurb,
  }));
  return JSON.stringify({
    results,
    ...(results.length === 0 && { notice: 'The web search found nothing.' }),
    ...(failures.length > 0 && { failed: failures }),
  });
}
