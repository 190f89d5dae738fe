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
import { dropTextsInChunks } from './texts-in-chunks.ts';
import { writeTitles } from './title-words.ts';
import { writeChunks } from './write-chunks.ts';

/**
 * Maximum rows changed per transaction: the embedded database has a single session, so everything waits for it. A turn
 * of ordinary documents fits into one step. A large document takes many steps in succession, so these are shorter.
 */
const STEP_SIZES: StepSizes = { shared: 400, large: 250 };

/** The worker that writes, its claim, and the model of its vectors. */
interface Writer {
  token: string;
  model: string;
  signal: AbortSignal;
  inBackground: Background;
}

/**
 * Replaces the documents' chunks: unchanged chunks keep their row and vector, new ones are loaded with COPY, removed
 * ones are deleted. Documents whose claim was lost meanwhile (edited, deleted, taken over) are left alone.
 *
 * A document with few changes is replaced in one transaction: the old chunks are searchable until the commit. One with
 * many changes is replaced step by step, and searches see the old text until the new text is complete. After an
 * interruption, the next attempt continues where the last one stopped: it finds the chunks already written by their
 * hashes. Until then they are hidden.
 * @returns the input of `sendDeliveries`
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
      const deliveries = await (isLarge
        ? writer.inBackground(() => takeStep(db, writer, step))
        : takeStep(db, writer, step));
      if (deliveries === null) break;
      toDeliver.push(...deliveries);
    }
  }
  return toDeliver;
}

/** @returns null when the claim on all its documents was lost */
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
    const short = held.filter(({ chunkCount }) => chunkCount === 1);
    await dropTextsInChunks(
      trx,
      short.map(({ document }) => document.id),
    );
    const documents = held.map(({ document }) => document);
    await writeTitles(trx, documents);
    return announceDocuments(trx, 'document.indexed', documents);
  });
}

/** Locks the rows until the commit, and leaves out documents that were edited or taken over. */
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

/** Must run before new chunks get their ids, so that these are above `hidden_above`. */
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
