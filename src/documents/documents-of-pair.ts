import { sql } from 'kysely';
import type { CcPairId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { isVisibleTo } from './document-access.ts';

/** Join over the documents of pairs: `l` is the link to the pair (`cc_pair_id`, `seen_at`). */
export const LINKED_DOCUMENTS = sql`document_cc_pair l join document d on d.id = l.document_id`;

export interface DocumentCounts {
  indexed: number;
  /** Accepted but not indexed yet. */
  pending: number;
  failed: number;
}

/** Pairs without documents are omitted. */
export async function countByPair(
  db: Database,
  ids: readonly CcPairId[],
): Promise<Map<CcPairId, DocumentCounts>> {
  const { rows } = await sql<DocumentCounts & { id: CcPairId }>`
    select l.cc_pair_id as id,
      count(*) filter (where d.status = 'indexed')::int as indexed,
      count(*) filter (where d.status in ('accepted', 'indexing'))::int as pending,
      count(*) filter (where d.status = 'failed')::int as failed
    from ${LINKED_DOCUMENTS}
    where l.cc_pair_id = any(${ids}::int[]) group by l.cc_pair_id`.execute(db);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Whether a pair has documents, not counting those being deleted. */
export async function hasDocuments(trx: DatabaseTransaction, ccPairId: CcPairId): Promise<boolean> {
  const { rows } = await sql`select 1 from ${LINKED_DOCUMENTS}
    where l.cc_pair_id = ${ccPairId} and d.status <> 'deleting' limit 1`.execute(trx);
  return rows.length > 0;
}

/** How many of these documents the pair has, not counting those being deleted. */
export async function countPresent(
  trx: DatabaseTransaction,
  pair: { id: CcPairId; workspace_id: WorkspaceId },
  externalIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ present: number }>`
    select count(*)::int as present from document d
    join document_cc_pair l on l.document_id = d.id and l.cc_pair_id = ${pair.id}
    where d.workspace_id = ${pair.workspace_id} and d.external_id = any(${externalIds}::text[])
      and d.status <> 'deleting'`.execute(trx);
  return rows[0]?.present ?? 0;
}

export interface SyncedDocument {
  external_id: string;
  indexed_at: Date | null;
  accepted_at: Date;
}

/** The documents of a pair that a user may see, in order of arrival. */
export async function listSyncedDocuments(
  db: Database,
  ccPairId: CcPairId,
  userId: UserId,
  page: { number: number; size: number },
): Promise<SyncedDocument[]> {
  const { rows } = await sql<SyncedDocument>`
    select d.external_id, d.indexed_at, d.accepted_at from ${LINKED_DOCUMENTS}
    where l.cc_pair_id = ${ccPairId} and d.status <> 'deleting' and ${isVisibleTo('d', userId)}
    order by d.id limit ${page.size} offset ${page.number * page.size}`.execute(db);
  return rows;
}
