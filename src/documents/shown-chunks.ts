import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';

/** The columns that identify a chunk and its document in the surrounding statement. */
interface ChunkColumns {
  chunk: RawBuilder<unknown>;
  document: RawBuilder<unknown>;
}

/** The names in `chunk_terms` and `chunk_vector`. */
const OWN_COLUMNS: ChunkColumns = { chunk: sql.raw('chunk_id'), document: sql.raw('document_id') };

/**
 * Whether a chunk may be shown. Every statement that shows chunks needs this condition: a large document is replaced in
 * several transactions, and a partial text must never be visible.
 *
 * - `hidden_above`: the new text is being written. Ids come from one sequence, so its chunks have ids above this one.
 *   Ignored once the document is indexed: a worker of the previous version finishes a document without clearing it.
 * - `hidden_ids`: the new text is complete, and these chunks of the old text have yet to be removed.
 *
 * Few documents are in either state, so a row is first compared with their ids; for most, no other check is needed.
 */
export function areShown(
  workspaceId: WorkspaceId,
  { chunk, document }: ChunkColumns = OWN_COLUMNS,
): RawBuilder<boolean> {
  return sql<boolean>`(
    not (${document} = any(array(
        select id from document where workspace_id = ${workspaceId} and hidden_above is not null and status <> 'indexed'))
      and ${chunk} > (select hidden_above from document written where written.id = ${document}))
    and ${chunk} not in (
      select unnest(hidden_ids) from document
      where workspace_id = ${workspaceId} and hidden_ids is not null))`;
}

/**
 * True for a document that is being deleted, and for one that was then sent again until its new content is indexed.
 * The index `document_hidden` has the same condition.
 */
export const GONE = sql.raw(`(status = 'deleting' or indexed_at < created_at)`);

/** True for a document that no search shows: it is gone, or people hid it. */
export const HIDDEN = sql.raw(`(status = 'deleting' or indexed_at < created_at or hidden)`);

export function goneDocuments(workspaceId: WorkspaceId): RawBuilder<DocumentId> {
  return sql<DocumentId>`select id from document where workspace_id = ${workspaceId} and ${GONE}`;
}

/** In two parts, because each has an index with its very condition: `document_hidden` and `document_hidden_by_hand`. */
export function hiddenDocuments(workspaceId: WorkspaceId): RawBuilder<DocumentId> {
  return sql<DocumentId>`${goneDocuments(workspaceId)}
    union all select id from document where workspace_id = ${workspaceId} and hidden`;
}
