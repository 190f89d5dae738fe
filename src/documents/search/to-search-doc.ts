import { sql } from 'kysely';
import { SHOWN_METADATA, SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { blurb } from './highlight.ts';
import type { SearchDoc } from './search-hit.ts';

/** The columns of `document d` that a found document shows. */
export const FOUND_COLUMNS = sql`d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source,
  ${SHOWN_METADATA} as metadata, d.doc_updated_at, d.boost, d.hidden`;

export interface FoundRow {
  external_id: string;
  semantic_identifier: string;
  source: string;
  metadata: DocumentMetadata;
  doc_updated_at: Date | null;
  boost: number;
  hidden: boolean;
}

/**
 * A document in the format of the platform family, as it is found without a query: no score, no highlights.
 * @param passage what it is shown by; `text` without tags
 */
export function toSearchDoc(
  row: FoundRow,
  passage: { ordinal: number; text: string; link: string | null },
): SearchDoc {
  return {
    document_id: row.external_id,
    chunk_ind: passage.ordinal,
    semantic_identifier: row.semantic_identifier,
    link: passage.link,
    // A document without text can be found by its title.
    blurb: blurb(passage.text) || row.semantic_identifier,
    source_type: row.source,
    boost: row.boost,
    hidden: row.hidden,
    metadata: row.metadata,
    score: null,
    is_relevant: null,
    relevance_explanation: null,
    match_highlights: [],
    updated_at: row.doc_updated_at?.toISOString() ?? null,
    primary_owners: null,
    secondary_owners: null,
    is_internet: false,
  };
}
