import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { RetryLater, StartError } from '#src/platform/errors.ts';
import type { Embedder } from './embed.ts';
import { restoreTexts } from './texts-in-chunks.ts';
import { dropVectorIndexes } from './vector-index.ts';

const FACT = 'embedding_model';
/** An arbitrary number that no other Millrace lock uses. */
const MODEL_LOCK = 7_202_602;
/** Gives a worker with the right model time to take what this one cannot write. */
const OTHER_WORKERS_TURN_MS = 10_000;

interface RecordedModel {
  model: string;
  dimensions: number;
}

/**
 * Records the model at first start, and rejects a different one while vectors of the first are stored: vectors of two
 * models cannot be compared.
 * @throws StartError that names both models and says how to re-embed
 */
export async function assertEmbeddingModel(
  db: Database,
  embedder: Pick<Embedder, 'model' | 'dimensions'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${MODEL_LOCK})`.execute(trx);
    const recorded = await readModel(trx);
    if (recorded?.model === embedder.model && recorded.dimensions === embedder.dimensions) return;
    if (recorded && (await hasVectors(trx))) throw otherModel(recorded, embedder);
    await recordModel(trx, embedder);
  });
}

/**
 * Deletes every chunk and vector, records the model, and queues all documents for indexing again.
 * A document is not searchable until it is indexed again.
 * @returns how many documents wait for indexing
 */
export async function reembedEverything(
  db: Database,
  embedder: Pick<Embedder, 'model' | 'dimensions'>,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${MODEL_LOCK})`.execute(trx);
    // Locked before the chunk tables, in the same order as every index write.
    await sql`lock table document in exclusive mode`.execute(trx);
    await restoreTexts(trx);
    await sql`truncate chunk, chunk_vector, chunk_planes, chunk_terms, posting_segment, posting_bucket,
      term_count, term_delta, word_bucket`.execute(trx);
    const { rows } = await sql<{ waiting: number }>`
      with reset as (
        update document set status = 'accepted', indexed_revision = null, attempts = 0,
          revision = revision + 1, next_attempt_at = null, claim_token = null, claimed_until = null,
          error = null, chunk_count = 0, hidden_above = null, hidden_ids = null, queued_at = 'epoch'
        where status <> 'deleting' returning 1)
      select count(*)::int as waiting from reset`.execute(trx);
    await recordModel(trx, embedder);
    return rows[0]?.waiting ?? 0;
  });
}

/** @throws RetryLater when the index was re-embedded with another model while this process ran */
export async function assertModelIsCurrent(trx: DatabaseTransaction, model: string): Promise<void> {
  const recorded = await readModel(trx);
  if (recorded && recorded.model !== model) {
    throw new RetryLater(
      OTHER_WORKERS_TURN_MS,
      `The index now uses the embedding model ${recorded.model}; a worker that still uses ${model} must be restarted.`,
    );
  }
}

async function readModel(trx: DatabaseTransaction): Promise<RecordedModel | null> {
  const row = await trx
    .selectFrom('deployment_fact')
    .select('value')
    .where('name', '=', FACT)
    .executeTakeFirst();
  // Written only by this file.
  return row ? (row.value as RecordedModel) : null;
}

async function hasVectors(trx: DatabaseTransaction): Promise<boolean> {
  const row = await trx.selectFrom('chunk_vector').select('chunk_id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Records the model and sets the dimensions of the sign bits, of which there are none yet. */
async function recordModel(
  trx: DatabaseTransaction,
  { model, dimensions }: RecordedModel,
): Promise<void> {
  const value = JSON.stringify({ model, dimensions });
  await sql`insert into deployment_fact (name, value) values (${FACT}, ${value}::json)
    on conflict (name) do update set value = excluded.value`.execute(trx);
  const size = sql.lit(dimensions);
  await dropVectorIndexes(trx);
  // The storage is that of the type again after a change of it: see the migration 0044.
  await sql`alter table chunk_vector alter column bits type bit(${size}),
    alter column bits set storage plain`.execute(trx);
}

function otherModel(recorded: RecordedModel, now: RecordedModel): StartError {
  return new StartError(
    `The index was built with the embedding model ${recorded.model} (${recorded.dimensions} dimensions), but the settings ask for ${now.model} (${now.dimensions}). ` +
      'Set EMBEDDING_PROVIDER, EMBEDDING_MODEL and EMBEDDING_DIMENSIONS back, or re-embed every document with: npm run migrate -- --reembed',
  );
}
