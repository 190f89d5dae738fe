import { sql } from 'kysely';
import { connectorDelete } from '#queues/connector-delete.ts';
import { hasDocuments, LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import { dropDocuments } from '#src/documents/drop-documents.ts';
import type { CcPairId, ConnectorId, DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { othersWait, sendDeletion } from '#src/connectors/runs/send-jobs.ts';
import { deleteFilesOf } from './connector-files.ts';

const DOCUMENTS_PER_STEP = 500;
/** Some seconds of work, after which other pairs that wait for the place get it. */
const STEPS_PER_TURN = 20;

type DeleteServices = Pick<ConnectorServices, 'db' | 'documentAcceptor' | 'log' | 'producer'>;

/**
 * Removes a pair marked `DELETING`: first, in batches, the documents that no other pair has, then the pair with its
 * runs, and its connector and uploads when no other pair uses them. The credential stays. Safe to interrupt and to
 * run twice. When others wait, the rest is left to a further job.
 */
export async function deletePair(
  services: DeleteServices,
  ccPairId: CcPairId,
  signal: AbortSignal,
  stepsPerTurn: number = STEPS_PER_TURN,
): Promise<void> {
  try {
    for (let steps = 0; !(await removePair(services.db, ccPairId)); steps += 1) {
      signal.throwIfAborted();
      if (steps >= stepsPerTurn && (await othersWait(services, connectorDelete))) {
        await sendDeletion(services, ccPairId);
        return;
      }
      await dropSome(services, ccPairId);
    }
  } catch (error) {
    if (!signal.aborted) await recordError(services.db, ccPairId, error);
    throw error;
  }
}

async function dropSome(
  { db, documentAcceptor }: Pick<ConnectorServices, 'db' | 'documentAcceptor'>,
  ccPairId: CcPairId,
): Promise<void> {
  const marked = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId }>`
      select d.id from ${LINKED_DOCUMENTS}
      join cc_pair p on p.id = l.cc_pair_id
      where l.cc_pair_id = ${ccPairId} and d.status <> 'deleting' and p.status = 'DELETING'
      order by d.id limit ${DOCUMENTS_PER_STEP}`.execute(trx);
    const dropped = await dropDocuments(
      trx,
      ccPairId,
      rows.map(({ id }) => id),
    );
    return dropped.marked;
  });
  await documentAcceptor.enqueue(marked, null);
}

/**
 * @returns true when the pair is gone, or was not marked for deletion
 */
async function removePair(db: Database, ccPairId: CcPairId): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ connector_id: ConnectorId | null }>`
      select connector_id from cc_pair where id = ${ccPairId} and status = 'DELETING'
      for update`.execute(trx);
    const [pair] = rows;
    if (!pair) return true;
    // A separate statement, so that it sees documents attached while the previous one waited for the lock.
    if (await hasDocuments(trx, ccPairId)) return false;
    await trx.deleteFrom('cc_pair').where('id', '=', ccPairId).execute();
    const { rows: connectors } = await sql<Parameters<typeof deleteFilesOf>[1]>`
      delete from connector c where c.id = ${pair.connector_id}
        and not exists (select 1 from cc_pair p where p.connector_id = c.id)
      returning c.kind, c.workspace_id, c.settings`.execute(trx);
    for (const connector of connectors) await deleteFilesOf(trx, connector);
    return true;
  });
}

/** Shown with the pair until the next attempt, which is automatic. */
async function recordError(db: Database, ccPairId: CcPairId, error: unknown): Promise<void> {
  const words = error instanceof Error ? error.message : String(error);
  await sql`update cc_pair set deletion_error = ${words} where id = ${ccPairId}`
    .execute(db)
    .catch(() => undefined);
}
