import { blurb } from '#src/documents/search/highlight.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';

const MAX_TITLE_LENGTH = 300;

/** A web page as a search document. A page found by a search and opened later is the same document. */
export function webDocument(page: { url: string; title: string; text: string }): SearchDoc {
  const title = cleanText(page.title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_LENGTH));
  return {
    document_id: `WEB_SEARCH_DOC_${withoutFragment(page.url)}`,
    chunk_ind: 0,
    semantic_identifier: title || (URL.parse(page.url)?.host ?? 'Unknown'),
    link: page.url,
    blurb: blurb(page.text),
    source_type: 'web',
    boost: 0,
    hidden: false,
    metadata: {},
    score: null,
    is_relevant: null,
    relevance_explanation: null,
    match_highlights: [],
    updated_at: null,
    primary_owners: null,
    secondary_owners: null,
    is_internet: true,
  };
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
