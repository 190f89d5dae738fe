import type { SearchDoc, SearchHit } from '#src/documents/search/search-hit.ts';
import { safeLink } from './safe-link.ts';

/** The part of a hit that packets carry: without its text and offsets, and without an unsafe link. */
export function toSearchDoc(hit: SearchHit): SearchDoc {
  const {
    text: _text,
    is_html: _isHtml,
    section_index: _sectionIndex,
    start_offset: _startOffset,
    end_offset: _endOffset,
    headings: _headings,
    ...searchDoc
  } = hit;
  return { ...searchDoc, link: safeLink(searchDoc.link) };
}
