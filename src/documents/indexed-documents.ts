import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentMetadata, StoredSection } from '#src/tables/documents.ts';
import { HIDDEN } from './shown-chunks.ts';
import { SECTIONS } from './shown-columns.ts';

/** Maps external ids to row ids, without documents that searches do not show. */
export async function findIndexedIds(
  db: Database,
  workspaceId: WorkspaceId,
  externalIds: readonly string[],
): Promise<Map<string, DocumentId>> {
  if (externalIds.length === 0) return new Map();
  const { rows } = await sql<{ id: DocumentId; external_id: string }>`
    select id, external_id from document
    where workspace_id = ${workspaceId} and external_id = any(${[...externalIds]}::text[])
      and ${HIDDEN} is not true`.execute(db);
  return new Map(rows.map(({ id, external_id }) => [external_id, id]));
}

/** The content of a document as it was sent. */
export interface IndexedDocument {
  external_id: string;
  semantic_identifier: string;
  title: string | null;
  sections: StoredSection[];
  metadata: DocumentMetadata;
}

/** Null for a document that searches do not show. */
export async function readIndexedDocument(
  db: Database,
  workspaceId: WorkspaceId,
  id: DocumentId,
): Promise<IndexedDocument | null> {
  const { rows } = await sql<IndexedDocument>`
    select d.external_id, d.semantic_identifier, d.title, ${SECTIONS} as sections, d.metadata
    from document d left join document_text t on t.document_id = d.id
    where workspace_id = ${workspaceId} and id = ${id} and ${HIDDEN} is not true`.execute(db);
  return rows[0] ?? null;
}
