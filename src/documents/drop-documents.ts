import { sql } from 'kysely';
import type { CcPairId, DocumentId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** For `update document set`: its chunks are found no more, and index workers remove the row. */
export const AS_DELETING =
  sql.raw(`status = 'deleting', revision = revision + 1, claim_token = null,
  claimed_until = null, next_attempt_at = null, queued_at = now()`);

/**
 * Removes documents from a pair. Those in no other pair leave search at once and are marked for deletion: enqueue them
 * for the index workers once the transaction is committed.
 * @param seenBefore documents that the pair's source showed later than this stay
 * @returns the marked documents' row ids, and how many documents left the pair
 */
export async function dropDocuments(
  trx: DatabaseTransaction,
  ccPairId: CcPairId,
  ids: readonly DocumentId[],
  seenBefore: Date | null = null,
): Promise<{ marked: DocumentId[]; left: number }> {
  if (ids.length === 0) return { marked: [], left: 0 };
  // Lock first: whether another pair has a document must be read after this transaction holds the lock.
  const { rows: locked } = await sql<{ id: DocumentId }>`
    select d.id from document d join document_cc_pair p on p.document_id = d.id
    where d.id = any(${ids}::bigint[]) and p.cc_pair_id = ${ccPairId} and d.status <> 'deleting'
    order by d.workspace_id, d.external_id for update of d`.execute(trx);
  const held = await stillToGo(trx, ccPairId, locked, seenBefore);
  const { rows } = await sql<{ id: DocumentId }>`
    update document set ${AS_DELETING}
    where id = any(${held}::bigint[]) and not exists (select 1 from document_cc_pair o
      where o.document_id = document.id and o.cc_pair_id <> ${ccPairId})
    returning id`.execute(trx);
  const marked = rows.map(({ id }) => id);
  await sql`delete from document_cc_pair where cc_pair_id = ${ccPairId}
    and document_id = any(${held}::bigint[])
    and not document_id = any(${marked}::bigint[])`.execute(trx);
  return { marked, left: held.length };
}

/** Read after locking: a run may have seen some of the documents since `ids` was chosen. */
async function stillToGo(
  trx: DatabaseTransaction,
  ccPairId: CcPairId,
  locked: { id: DocumentId }[],
  seenBefore: Date | null,
): Promise<DocumentId[]> {
  const ids = locked.map(({ id }) => id);
  if (seenBefore === null) return ids;
  const { rows } = await sql<{ id: DocumentId }>`
    select document_id as id from document_cc_pair
    where cc_pair_id = ${ccPairId} and document_id = any(${ids}::bigint[])
      and seen_at < ${seenBefore}
    order by document_id for update`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Maps the source's document ids to row ids for one pair; unknown ids are omitted. */
export async function documentsOfPair(
  trx: DatabaseTransaction,
  ccPairId: CcPairId,
  externalIds: readonly string[],
): Promise<DocumentId[]> {
  if (externalIds.length === 0) return [];
  const { rows } = await sql<{ id: DocumentId }>`
    select d.id from cc_pair p
    join document d on d.workspace_id = p.workspace_id and d.external_id = any(${externalIds}::text[])
    join document_cc_pair l on l.document_id = d.id and l.cc_pair_id = p.id
    where p.id = ${ccPairId} and d.status <> 'deleting'`.execute(trx);
  return rows.map(({ id }) => id);
}
