import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { isVisibleTo, type Reader } from './document-access.ts';
import { visibleText } from './html-text.ts';
import { areShown } from './shown-chunks.ts';

/** A chunk as it is indexed. */
export interface DocumentChunk {
  ordinal: number;
  section_index: number;
  text: string;
  headings: string[];
  link: string | null;
  token_count: number;
}

/** The chunks of a document that searches see, in order, from `from` on. Without tags, as answers quote them. */
export async function readDocumentChunks(
  db: Database,
  { workspaceId, userId }: Reader,
  { externalId, from, limit }: { externalId: string; from: number; limit: number },
): Promise<DocumentChunk[]> {
  const { rows } = await sql<DocumentChunk & { is_html: boolean }>`
    select c.ordinal, c.section_index, c.text, c.is_html, c.headings, c.link, c.token_count
    from document d join chunk c on c.document_id = d.id
    where d.workspace_id = ${workspaceId} and d.external_id = ${externalId}
      and d.status <> 'deleting' and ${isVisibleTo('d', userId)}
      and ${areShown(workspaceId, { chunk: sql`c.id`, document: sql`c.document_id` })}
      and c.ordinal >= ${from}
    order by c.ordinal limit ${limit}`.execute(db);
  return rows.map(({ is_html, ...row }) => ({
    ...row,
    text: is_html ? visibleText(row.text) : row.text,
  }));
}
