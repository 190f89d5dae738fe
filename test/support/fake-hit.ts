import type { SearchHit } from '#src/documents/search/search-hit.ts';

/** A search hit with this text, whose title and link come from its id. */
export function fakeHit(id: string, text: string): SearchHit {
  return {
    document_id: id,
    chunk_ind: 0,
    semantic_identifier: `Doc ${id}`,
    link: `https://kb.example/${id}`,
    blurb: text.slice(0, 50),
    source_type: 'web',
    boost: 0,
    hidden: false,
    metadata: {},
    score: 0.5,
    is_relevant: null,
    relevance_explanation: null,
    match_highlights: [],
    updated_at: null,
    primary_owners: null,
    secondary_owners: null,
    is_internet: false,
    text,
    is_html: false,
    section_index: 0,
    start_offset: 0,
    end_offset: text.length,
    headings: [],
  };
}
