import { type RawBuilder, sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';

/** The columns that tell a chunk and its document in the statement that asks. */
interface ChunkColumns {
  chunk: RawBuilder<unknown>;
  document: RawBuilder<unknown>;
}

/** As `chunk_terms` and `chunk_vector` name them. */
const OWN_COLUMNS: ChunkColumns = { chunk: sql.raw('chunk_id'), document: sql.raw('document_id') };

/**
 * Whether a chunk may be seen. Every statement that shows chunks asks this: a large document is replaced in several
 * transactions, and none of them may show a part of a text.
 *
 * - `hidden_above`: the new text is being written. Ids come from one sequence, so its chunks have ids above this one.
 *   It counts for nothing once the document is indexed: a worker of the version before ends one without clearing it.
 * - `hidden_ids`: the new text is complete, and these chunks of the old one are still to be removed.
 *
 * Few documents are in either state, so their ids come first: the rows of all others are compared with nothing else.
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
