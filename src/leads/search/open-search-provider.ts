import type { LeadServices } from '#src/leads/lead-services.ts';
import { openBrave } from './search-brave.ts';
import { type SearchProvider, SearchProviderFailed } from './search-provider.ts';
import { openSearxng } from './search-searxng.ts';

/**
 * The web search engine that LEAD_SEARCH_PROVIDER selects; null for the index.
 * @throws SearchProviderFailed when one of its settings is missing
 */
export function openSearchProvider({
  config,
  operatorFetch,
}: Pick<LeadServices, 'config' | 'operatorFetch'>): SearchProvider | null {
  switch (config.LEAD_SEARCH_PROVIDER) {
    case 'index':
      return null;
    case 'searxng':
      if (config.SEARXNG_URL === undefined) throw notConfigured('SearXNG', 'SEARXNG_URL');
      return openSearxng({ baseUrl: config.SEARXNG_URL, fetch: operatorFetch });
    case 'brave':
      if (config.BRAVE_API_KEY === undefined) throw notConfigured('Brave Search', 'BRAVE_API_KEY');
      return openBrave({
        baseUrl: config.BRAVE_API_URL,
        apiKey: config.BRAVE_API_KEY,
        fetch: operatorFetch,
      });
  }
}

function notConfigured(label: string, setting: string): SearchProviderFailed {
  return new SearchProviderFailed(`${label} cannot be asked: ${setting} is not set.`, {
    isTemporary: false,
  });
}
