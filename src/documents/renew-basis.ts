import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentServices } from './document-services.ts';
import { BASIS_VERSION } from './latent-basis.ts';
import { listSegments, readDirectories } from './read-postings.ts';
import { CHUNKS_BUCKET } from './term-counts.ts';
import { type TermRow, weightsOf } from './term-frequencies.ts';
import type { BasisTask } from './train-basis.ts';

/** Fewer do not tell what words mean. */
export const MIN_BASIS_CHUNKS = 300;
/** Of a larger workspace, chunks spread evenly over it: on the test collections, 400 do nearly as well as all. */
const MAX_SAMPLED = 10_000;
/** Read at a time: their terms come as text, some milliseconds' worth. */
const CHUNKS_PER_STEP = 250;
/** A workspace is trained again when its chunks have become this many times as many. */
const GROWTH = 1.5;
/** When a training that died is tried again: its texts may be to blame, and other workspaces wait. */
const TRIED_AGAIN_AFTER = '10 minutes';

/**
 * Trains the basis of one workspace that has none of this version, or whose chunks grew by half or shrank to half.
 * Searches go on with the one before. Whatever is cut off is begun again; two processes that train one workspace do
 * the work twice.
 * @returns whether there was one
 */
export async function renewBasis(
  {
    db,
    indexThreads,
    inBackground,
  }: Pick<DocumentServices, 'db' | 'indexThreads' | 'inBackground'>,
  signal: AbortSignal,
): Promise<boolean> {
  const due = await takeDue(db);
  if (due === null) return false;
  const chunkIds = await sampleChunks(db, due.workspaceId);
  const sample = new Sample();
  for (let start = 0; start < chunkIds.length; start += CHUNKS_PER_STEP) {
    signal.throwIfAborted();
    const step = chunkIds.slice(start, start + CHUNKS_PER_STEP);
    await inBackground(() => readTexts(db, due.workspaceId, step, sample));
  }
  const basis = await indexThreads.trainBasis(sample.finish(), signal);
  // No row is left of a workspace that was deleted meanwhile.
  await sql`
    update latent_basis set id = ${randomUUID()}, version = ${BASIS_VERSION}, chunks = ${due.chunks}, basis = ${basis},
      tried_at = null
    where workspace_id = ${due.workspaceId}`.execute(db);
  return true;
}

interface DueWorkspace {
  workspaceId: WorkspaceId;
  chunks: number;
}

/** Its row says that it is being trained, so that another process takes another one. */
async function takeDue(db: Database): Promise<DueWorkspace | null> {
  const isFree = sql`(b.tried_at is null or b.tried_at < now() - ${TRIED_AGAIN_AFTER}::interval)`;
  const { rows } = await sql<DueWorkspace>`
    with counted as (
      select w.id as workspace_id, c.chunks[1] as n from term_count c join workspace w on w.id = c.workspace_id
      where c.bucket = ${CHUNKS_BUCKET} and c.chunks[1] >= ${MIN_BASIS_CHUNKS}
    ), due as (
      select workspace_id, n from counted left join latent_basis b using (workspace_id)
      where b.workspace_id is null or (${isFree}
        and (b.version <> ${BASIS_VERSION} or n >= b.chunks * ${GROWTH}::float8 or n * 2 <= b.chunks))
      order by b.tried_at nulls first, workspace_id limit 1
    ), taken as (
      insert into latent_basis as b (workspace_id, tried_at) select workspace_id, now() from due
      on conflict (workspace_id) do update set tried_at = now() where ${isFree}
      returning workspace_id
    )
    select workspace_id as "workspaceId", n as chunks from taken join due using (workspace_id)`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** Ids of chunks; some may be gone. */
async function sampleChunks(db: Database, workspaceId: WorkspaceId): Promise<number[]> {
  const { segments } = await listSegments(db, workspaceId);
  const directories = await readDirectories(db, segments);
  const ids = [...directories.values()].flatMap((directory) => [...directory.ids]);
  return spreadEvenly(ids, MAX_SAMPLED);
}

/** At most `most` of them, as far from each other as can be. */
export function spreadEvenly(ids: readonly number[], most: number): number[] {
  if (ids.length <= most) return [...ids];
  return Array.from({ length: most }, (_, n) => ids[Math.floor((n * ids.length) / most)] ?? 0);
}

async function readTexts(
  db: Database,
  workspaceId: WorkspaceId,
  chunkIds: readonly number[],
  sample: Sample,
): Promise<void> {
  const { rows } = await sql<TermRow>`
    select terms, weights::text as weights, frequencies from chunk_terms
    where chunk_id = any(${chunkIds}::bigint[]) and workspace_id = ${workspaceId}
    order by chunk_id`.execute(db);
  for (const row of rows) sample.add(row.terms, weightsOf(row));
}

/** Texts one after the other, as the training takes them. */
class Sample {
  readonly #ids: Int32Array[] = [];
  readonly #weights: Float32Array[] = [];

  add(terms: readonly number[], weights: Float32Array): void {
    this.#ids.push(Int32Array.from(terms));
    this.#weights.push(weights);
  }

  finish(): BasisTask {
    const starts = new Int32Array(this.#ids.length + 1);
    for (const [at, { length }] of this.#ids.entries()) {
      starts[at + 1] = (starts[at] ?? 0) + length;
    }
    const length = starts.at(-1) ?? 0;
    const ids = new Int32Array(length);
    const weights = new Float32Array(length);
    for (const [at, own] of this.#ids.entries()) {
      ids.set(own, starts[at]);
      weights.set(this.#weights[at] ?? [], starts[at]);
    }
    return { starts, ids, weights };
  }
}
