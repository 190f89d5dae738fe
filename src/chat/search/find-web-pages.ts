import {
  type FoundPage,
  type SearchProvider,
  SearchProviderFailed,
} from '#src/leads/search/search-provider.ts';
import { visibleText } from '#src/documents/html-text.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { fuseRanks, type RankedList } from './fuse-ranks.ts';
import { webDocument } from './web-document.ts';

/** Search engines treat many simultaneous searches by one client as an attack. */
const SEARCHES_AT_ONCE = 3;
const MAX_SNIPPET_LENGTH = 1_000;

export interface WebResults {
  /** Best first, each page once; the blurb is the engine's snippet. */
  documents: SearchDoc[];
  /** Errors of failed searches, if others succeeded. */
  failures: string[];
}

/**
 * Runs several web searches and fuses their results by rank.
 * @throws SearchProviderFailed when every search failed, the signal's reason when aborted
 */
export async function findWebPages(
  provider: SearchProvider,
  queries: readonly string[],
  options: { perQuery: number; signal: AbortSignal },
): Promise<WebResults> {
  const lists: RankedList<FoundPage>[] = [];
  const failures: SearchProviderFailed[] = [];
  const waiting = [...queries.entries()];
  const take = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, query] = next;
      try {
        const pages = await provider.find(query, { page: 1, signal: options.signal });
        lists[index] = { weight: 1, items: pages.slice(0, options.perQuery) };
      } catch (error) {
        options.signal.throwIfAborted();
        if (!(error instanceof SearchProviderFailed)) throw error;
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, take));
  const [failure] = failures;
  if (failure && failures.length === queries.length) throw failure;
  const found = fuseRanks(Object.values(lists), ({ url }) => url.split('#', 1)[0] ?? url);
  return {
    documents: found.flatMap(({ items: [page] }) => (page ? [toDocument(page)] : [])),
    failures: [...new Set(failures.map(({ message }) => message))],
  };
}

/** Engines send text plain, with entities, or with the markup of their own pages. */
function toDocument({ url, title, snippet }: FoundPage): SearchDoc {
  const text = plain(snippet).slice(0, MAX_SNIPPET_LENGTH).toWellFormed();
  const document = webDocument({ url, title: plain(title), text });
  return { ...document, blurb: text || document.semantic_identifier };
}

function plain(text: string): string {
  const isMarkedUp = /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+);/i.test(text);
  return (isMarkedUp ? visibleText(text) : text).replace(/[\p{Cc}\s]+/gu, ' ').trim();
}
