import { sql } from 'kysely';

import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';
import { blurb } from './highlight.ts';
import { visibleText } from '#src/documents/html-text.ts';
import type { SearchDoc } from './search-hit.ts';
import { visible } from './search-terms.ts';
import { areShown } from '#src/documents/shown-chunks.ts';
import { SHOWN_METADATA, SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import type { SearchFilters } from './search-filters.ts';

interface NewestRow {
  external_id: string;
  semantic_identifier: string;
  source: string;
  metadata: DocumentMetadata;
  doc_updated_at: Date | null;
  boost: number;
  hidden: boolean;
  ordinal: number;
  text: string;
  is_html: boolean;
  link: string | null;
}

/** The newest documents that the user may find, each shown by its first chunk. */
export async function newestDocuments(
  db: Database,
  scope: {
    workspaceId: WorkspaceId;
    userId: UserId;
    filters: SearchFilters;
    includesHidden: boolean;
    limit: number;
  },
): Promise<SearchDoc[]> {
  const { rows } = await sql<NewestRow>`
    select d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source,
      ${SHOWN_METADATA} as metadata, d.doc_updated_at, d.boost, d.hidden,
      c.ordinal, c.text, c.is_html, c.link
    from (
      select * from (select *, id as document_id from document) numbered
      where status = 'indexed' and ${visible(scope)} order by id desc limit ${scope.limit}) d
    cross join lateral (
      select ordinal, text, is_html, link from chunk
      where document_id = d.id
        and ${areShown(scope.workspaceId, { chunk: sql`chunk.id`, document: sql`d.id` })}
      order by ordinal limit 1) c
    order by d.id desc`.execute(db);
  return rows.map((row) => ({
    document_id: row.external_id,
    chunk_ind: row.ordinal,
    semantic_identifier: row.semantic_identifier,
    link: row.link,
    blurb: blurb(row.is_html ? visibleText(row.text) : row.text) || row.semantic_identifier,
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
  }));
}
