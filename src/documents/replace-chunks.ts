import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Background } from '#src/platform/background.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { ToDeliver } from '#src/webhooks/emit-event.ts';
import { announceDocuments } from './announce-documents.ts';
import {
  type ChunkChanges,
  type Shown,
  stepsOf,
  type StepSizes,
  type WriteStep,
} from './chunk-changes.ts';
import { assertModelIsCurrent } from './embedding-model.ts';
import { writeChunks } from './write-chunks.ts';

/**
 * Rows changed in one transaction: everybody waits for a transaction of the embedded database, which has one session. A
 * turn of ordinary documents fits into one step. Those of a large document follow each other, so they are shorter.
 */
const STEP_SIZES: StepSizes = { shared: 400, large: 250 };

/** Who writes: claims and vectors are worth nothing to another. */
interface Writer {
  token: string;
  model: string;
  signal: AbortSignal;
  inBackground: Background;
}

/**
 * Replaces the documents' chunks: what is unchanged keeps its row and vector, what is new is loaded with COPY, what is
 * gone is deleted. Documents whose claim was lost meanwhile (edited, deleted, taken over) are left alone.
 *
 * A document with few changes is replaced in one transaction: the old chunks are searchable until the commit. One with
 * many is replaced step by step, and searches see the old text until the new one is complete. An attempt that is cut off
 * is gone on with where it stopped: what it wrote is found again by its hash, and is hidden until then.
 * @returns for `sendDeliveries`: who is told of it
 */
export async function replaceChunks(
  db: Database,
  writer: Writer,
  changes: readonly ChunkChanges[],
): Promise<ToDeliver> {
  const toDeliver: ToDeliver[number][] = [];
  for (const steps of stepsOf(changes, STEP_SIZES)) {
    const isLarge = steps.length > 1;
    for (const step of steps) {
      writer.signal.throwIfAborted();
      const told = await (isLarge
        ? writer.inBackground(() => takeStep(db, writer, step))
        : takeStep(db, writer, step));
      if (told === null) break;
      toDeliver.push(...told);
    }
  }
  return toDeliver;
}

/** @returns null when none of its documents is held any more */
async function takeStep(
  db: Database,
  { token, model }: Writer,
  { changes, shown, isLast }: WriteStep,
): Promise<ToDeliver | null> {
  return db.transaction().execute(async (trx) => {
    const held = await lockHeldDocuments(trx, token, changes);
    await assertModelIsCurrent(trx, model);
    if (held.length === 0) return null;
    await showChunks(trx, held, shown);
    await writeChunks(trx, held);
    if (!isLast) return [];
    await markIndexed(trx, held);
    const documents = held.map(({ document }) => document);
    return announceDocuments(trx, 'document.indexed', documents);
  });
}

/** Row locks until the commit; the fence against older revisions. */
async function lockHeldDocuments(
  trx: DatabaseTransaction,
  token: string,
  changes: readonly ChunkChanges[],
): Promise<ChunkChanges[]> {
  const ids = changes.map(({ document }) => document.id);
  const { rows } = await sql<{ id: DocumentId; revision: number }>`
    select id, revision from document
    where id = any(${ids}::bigint[]) and claim_token = ${token} and status = 'indexing'
    order by workspace_id, external_id for update`.execute(trx);
  const revisions = new Map(rows.map((row) => [row.id, row.revision]));
  return changes.filter(({ document }) => revisions.get(document.id) === document.revision);
}

/** Before the chunks are numbered: those that come have higher ids than `hidden_above`. */
async function showChunks(
  trx: DatabaseTransaction,
  held: readonly ChunkChanges[],
  shown: Shown,
): Promise<void> {
  if (shown === null) return;
  const change =
    shown === 'old'
      ? sql`hidden_above = coalesce(hidden_above, nextval('chunk_id'))`
      : sql`hidden_above = null, hidden_ids = ${shown.allBut}::bigint[]`;
  const ids = held.map(({ document }) => document.id);
  await sql`update document set ${change} where id = any(${ids}::bigint[])`.execute(trx);
}

async function markIndexed(trx: DatabaseTransaction, held: readonly ChunkChanges[]): Promise<void> {
  const counts = held.map(({ document, chunkCount }) => ({ id: document.id, chunks: chunkCount }));
  await sql`
    update document d set status = 'indexed', indexed_revision = revision, chunk_count = x.chunks,
      indexed_at = now(), error = null, claim_token = null, claimed_until = null, next_attempt_at = null,
      hidden_above = null, hidden_ids = null
    from json_to_recordset(${JSON.stringify(counts)}::json) as x(id bigint, chunks int)
    where d.id = x.id`.execute(trx);
}
