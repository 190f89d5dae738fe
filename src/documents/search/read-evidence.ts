import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { SEARCHED_TITLE } from '#src/documents/shown-columns.ts';
import { tokenize } from '#src/documents/tokenize.ts';

/** What the text of a candidate says about its rank. */
export interface Evidence {
  /** Terms of the document's title. */
  title: string[];
  /** Terms of the chunk in order: title, headings and text, as they are indexed. */
  terms: string[];
}

interface EvidenceRow {
  chunk_id: number;
  title: string;
  headings: string[];
  text: string;
  is_html: boolean;
}

/** The words of these chunks. A chunk that was deleted meanwhile has none. */
export async function readEvidence(
  db: Database,
  workspaceId: WorkspaceId,
  chunkIds: readonly number[],
): Promise<Map<number, Evidence>> {
  if (chunkIds.length === 0) return new Map();
  // The chunks first: see read-hits.ts.
  const { rows } = await sql<EvidenceRow>`
    with c as materialized (
      select id, document_id, headings, text, is_html from chunk where id = any(${chunkIds}::bigint[]))
    select c.id as chunk_id, ${SEARCHED_TITLE} as title, c.headings, c.text, c.is_html
    from c join document d on d.id = c.document_id
    where d.workspace_id = ${workspaceId}`.execute(db);
  return new Map(rows.map((row) => [row.chunk_id, evidenceOf(row)]));
}

function evidenceOf({ title, headings, text, is_html }: EvidenceRow): Evidence {
  const own = headings[0] === title ? headings.slice(1) : headings;
  const shown = is_html ? visibleText(text) : text;
  return { title: tokenize(title), terms: tokenize([title, ...own, shown].join('\n')) };
}
