import { sql } from 'kysely';
import { safeLink } from '#src/chat/citations/safe-link.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { blurb } from '#src/documents/search/highlight.ts';
import { privateToOthers } from '#src/documents/document-access.ts';
import { areShown, HIDDEN } from '#src/documents/shown-chunks.ts';
import { SHOWN_METADATA, SHOWN_TITLE } from '#src/documents/shown-columns.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentMetadata } from '#src/tables/documents.ts';

/** Chunks have up to 512 tokens; a tool that opens pages shows less than all of these. */
const MAX_CHUNKS = 100;

interface ChunkRow {
  external_id: string;
  semantic_identifier: string;
  source: string;
  metadata: DocumentMetadata;
  doc_updated_at: Date | null;
  boost: number;
  hidden: boolean;
  text: string;
  is_html: boolean;
  link: string | null;
}

/** The indexed text of the document whose id is this URL; null when the caller may not see it. */
export async function findIndexedPage(
  db: Database,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  url: string,
): Promise<{ document: SearchDoc; text: string } | null> {
  const { rows } = await sql<ChunkRow>`
    select d.external_id, ${SHOWN_TITLE} as semantic_identifier, d.source,
      ${SHOWN_METADATA} as metadata, d.doc_updated_at, d.boost, d.hidden,
      c.text, c.is_html, c.link
    from document d join chunk c on c.document_id = d.id
    where d.workspace_id = ${workspaceId} and d.external_id = any(${spellingsOf(url)}::text[])
      and ${HIDDEN} is not true and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`d.id` })}
      and d.id not in (${privateToOthers(workspaceId, userId)})
    order by d.external_id, c.ordinal limit ${MAX_CHUNKS}`.execute(db);
  const [first] = rows;
  if (!first) return null;
  const text = rows
    .filter((row) => row.external_id === first.external_id)
    .map((row) => (row.is_html ? visibleText(row.text) : row.text))
    .join('\n\n');
  return { document: toDocument(first, text), text };
}

/** Sources differ in whether a URL ends with a slash. */
function spellingsOf(url: string): string[] {
  const plain = (url.split('#', 1)[0] ?? url).replace(/\/$/, '');
  return [...new Set([url, plain, `${plain}/`])];
}

function toDocument(row: ChunkRow, text: string): SearchDoc {
  return {
    document_id: row.external_id,
    chunk_ind: 0,
    semantic_identifier: row.semantic_identifier,
    link: safeLink(row.link),
    blurb: blurb(text) || row.semantic_identifier,
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
