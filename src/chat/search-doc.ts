import { z } from 'zod';

import type { SearchHit } from '#src/documents/search.ts';

/** A found document on the wire. Every member is always present; what is unknown is null. */
export const searchDocSchema = z.object({
  document_id: z.string(),
  chunk_ind: z.int(),
  semantic_identifier: z.string(),
  link: z.string().nullable(),
  blurb: z.string(),
  source_type: z.string(),
  boost: z.int(),
  hidden: z.boolean(),
  metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  score: z.number().nullable(),
  is_relevant: z.boolean().nullable(),
  relevance_explanation: z.string().nullable(),
  match_highlights: z.array(z.string()),
  updated_at: z.string().nullable(),
  primary_owners: z.array(z.string()).nullable(),
  secondary_owners: z.array(z.string()).nullable(),
  is_internet: z.boolean(),
});
export type SearchDoc = z.output<typeof searchDocSchema>;

/** The part of a hit that packets carry: its text and offsets stay behind. */
export function toSearchDoc(hit: SearchHit): SearchDoc {
  const {
    text: _text,
    section_index: _sectionIndex,
    start_offset: _startOffset,
    end_offset: _endOffset,
    headings: _headings,
    ...searchDoc
  } = hit;
  return searchDoc;
}
