import { sql } from 'kysely';
import type { DocumentId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { DocumentServices } from './document-services.ts';
import { TermDeltas } from './term-counts.ts';

/** Chunks removed per transaction: about 100 ms on the embedded database, which has a single session. */
const CHUNKS_PER_STEP = 250;

/** The result of a step: it removed a part, it removed the last part, or there was nothing to remove. */
export type DeletionStep = 'more' | 'last' | 'nothing';

/** Runs one step of removing documents marked `deleting`, chunks first. Idempotent and safe to interrupt. */
export async function deleteMarkedDocuments(
  { db, inBackground }: Pick<DocumentServices, 'db' | 'inBackground'>,
  ids: readonly DocumentId[],
): Promise<DeletionStep> {
  const { rows } = await sql<{ id: DocumentId }>`
    select id from document where id = any(${ids}::bigint[]) and status = 'deleting'`.execute(db);
  const marked = rows.map((row) => row.id);
  if (marked.length === 0) return 'nothing';
  const deleted = await inBackground(() => deleteSomeChunks(db, marked));
  if (deleted === CHUNKS_PER_STEP) return 'more';
  await deleteEmptied(db, marked);
  return 'last';
}

/**
 * A document that was resubmitted meanwhile is `accepted` by now and stays. Locks the row first: the check for chunks
 * must see what another write committed while this one waited for the lock.
 */
async function deleteEmptied(db: Database, marked: DocumentId[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId }>`
      select id from document where id = any(${marked}::bigint[]) and status = 'deleting'
      order by workspace_id, external_id for update`.execute(trx);
    await sql`delete from document d where id = any(${rows.map(({ id }) => id)}::bigint[])
      and not exists (select 1 from chunk where document_id = d.id)`.execute(trx);
  });
}

async function deleteSomeChunks(db: Database, marked: DocumentId[]): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows: documents } = await sql<{ id: DocumentId }>`
      select id from document where id = any(${marked}::bigint[]) and status = 'deleting'
      order by workspace_id, external_id for update`.execute(trx);
    const { rows } = await sql<{ id: number }>`
      select id from chunk where document_id = any(${documents.map(({ id }) => id)}::bigint[])
      limit ${CHUNKS_PER_STEP}`.execute(trx);
    const deltas = new TermDeltas();
    await deleteChunks(
      trx,
      rows.map((row) => row.id),
      deltas,
    );
    await deltas.write(trx);
    return rows.length;
  });
}

/** Deletes chunks with their vectors and terms, and subtracts the terms from the counts. */
export async function deleteChunks(
  trx: DatabaseTransaction,
  chunkIds: number[],
  deltas: TermDeltas,
): Promise<void> {
  if (chunkIds.length === 0) return;
  const { rows } = await sql<{ workspace_id: WorkspaceId; terms: number[] }>`
    delete from chunk_terms where chunk_id = any(${chunkIds}::bigint[])
    returning workspace_id, terms`.execute(trx);
  for (const row of rows) deltas.add(row.workspace_id, row.terms, -1);
  await sql`delete from chunk_vector where chunk_id = any(${chunkIds}::bigint[])`.execute(trx);
  await sql`delete from chunk_planes where chunk_id = any(${chunkIds}::bigint[])`.execute(trx);
  await sql`delete from chunk where id = any(${chunkIds}::bigint[])`.execute(trx);
}
