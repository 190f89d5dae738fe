import { sql } from 'kysely';
import { safeLink } from '#src/chat/citations/safe-link.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { privateToOthers } from '#src/documents/document-access.ts';
import { areShown, HIDDEN } from '#src/documents/shown-chunks.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import { FOUND_COLUMNS, type FoundRow, toSearchDoc } from '#src/documents/search/to-search-doc.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Chunks have up to 512 tokens; a tool that opens pages shows less than all of these. */
const MAX_CHUNKS = 100;

interface ChunkRow extends FoundRow {
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
    select ${FOUND_COLUMNS}, c.text, c.is_html, c.link
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
  return { document: toSearchDoc(first, { ordinal: 0, text, link: safeLink(first.link) }), text };
}

/** Sources differ in whether a URL ends with a slash. */
function spellingsOf(url: string): string[] {
  const plain = (url.split('#', 1)[0] ?? url).replace(/\/$/, '');
  return [...new Set([url, plain, `${plain}/`])];
}
