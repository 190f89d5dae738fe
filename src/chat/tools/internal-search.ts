import { toSearchDoc } from '#src/chat/search-doc.ts';
import { visibleText } from '#src/documents/html-text.ts';
import type { SearchHit } from '#src/documents/search-hit.ts';
import type { Tool } from './tool.ts';

export const INTERNAL_SEARCH_ID = 1;

const MAX_DOCUMENTS = 10;
/** A question may be long; the words that tell what it is about come early. */
const MAX_QUERY_LENGTH = 2_000;

export type SearchIndex = (
  query: string,
  limit: number,
  signal: AbortSignal,
) => Promise<readonly SearchHit[]>;

export type InternalSearch = Tool<{ queries: string[] }>;

/** The tool that looks into the workspace's own documents. `search` is bound to its workspace and filters. */
export function createInternalSearch(search: SearchIndex): InternalSearch {
  return {
    id: INTERNAL_SEARCH_ID,
    name: 'internal_search',
    async *run({ queries }, signal) {
      yield { type: 'search_tool_start', is_internet_search: false };
      yield { type: 'search_tool_queries_delta', queries };
      const found: SearchHit[] = [];
      for (const query of queries) {
        const hits = await search(
          query.slice(0, MAX_QUERY_LENGTH).toWellFormed(),
          MAX_DOCUMENTS,
          signal,
        );
        found.push(...hits.map(readable));
      }
      const hits = onePerDocument(found);
      if (hits.length > 0)
        yield { type: 'search_tool_documents_delta', documents: hits.map(toSearchDoc) };
      return { text: describeHits(hits), hits };
    },
  };
}

/** A passage of HTML is read and quoted without its tags. */
function readable(hit: SearchHit): SearchHit {
  return hit.is_html ? { ...hit, text: visibleText(hit.text) } : hit;
}

function onePerDocument(hits: readonly SearchHit[]): SearchHit[] {
  const first = new Map<string, SearchHit>();
  for (const hit of hits) if (!first.has(hit.document_id)) first.set(hit.document_id, hit);
  return [...first.values()];
}

/** Without links: a model that sees them writes them, beside the ones that citations become. */
function describeHits(hits: readonly SearchHit[]): string {
  const results = hits.map((hit, index) => ({
    citation: index + 1,
    title: hit.semantic_identifier,
    headings: hit.headings,
    source: hit.source_type,
    updated_at: hit.updated_at,
    metadata: hit.metadata,
    content: hit.text,
  }));
  return JSON.stringify({ results });
}
