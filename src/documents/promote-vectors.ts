import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentServices } from './document-services.ts';
import { CHUNKS_BUCKET } from './term-counts.ts';
import {
  createSegment,
  dropConcurrently,
  readVectorIndex,
  underBuildLock,
} from './vector-index.ts';
import {
  chooseMerge,
  gapsOf,
  SEGMENT_SIZES,
  type SegmentRange,
  type SegmentSizes,
} from './vector-segments.ts';

const ROWS_PER_STEP = 500;
/** Of the memory that a build may use: see `VECTOR_INDEX_MEMORY_MB` in the README. */
const ROWS_PER_MB = 1_000;

type PromoteServices = Pick<DocumentServices, 'db' | 'directDb' | 'config'>;

/** What is to be done next for the index. */
type Step =
  | { does: 'drop'; names: string[] }
  /** Builds an index over promoted vectors: in place of smaller ones, or of one that is gone. */
  | ({ does: 'build' } & SegmentRange)
  /** Promotes staged vectors, and builds an index over all from this number on. */
  | { does: 'promote'; from: number };

/**
 * Moves staged vectors of large workspaces into the HNSW index. It consists of segments, like the postings: so many
 * staged vectors get an index of their own, and neighbours are merged by building one index over the vectors of all.
 * Nothing is ever inserted into an index: that takes forty times as long. PGlite keeps scanning sign bits: building the
 * graph in WASM takes longer than the scans it would save.
 * @returns how many vectors were moved
 */
export async function promoteVectors(
  services: PromoteServices,
  signal: AbortSignal,
  sizes: SegmentSizes = SEGMENT_SIZES,
): Promise<number> {
  const { db, directDb, config } = services;
  if (config.size === 'embedded') return 0;
  // Most runs end here, without the lock.
  if ((await chooseStep(services, db, sizes)) === null) return 0;
  const moved = await underBuildLock(directDb, signal, async (connection) => {
    let rows = 0;
    for (;;) {
      signal.throwIfAborted();
      // Chosen again under the lock: another process may have taken the step since.
      const step = await chooseStep(services, connection, sizes);
      if (step === null) return rows;
      const promoted = await takeStep(step, services, connection, sizes, signal);
      rows += promoted;
      // Somebody else has the rows, or they were promoted by a run that ended before its build.
      if (step.does === 'promote' && promoted === 0) return rows;
    }
  });
  return moved ?? 0;
}

/**
 * What slows down searches most comes first: rows without an index, then many segments. Nothing is promoted beside an
 * index that takes every promoted row: it is replaced before.
 */
async function chooseStep(
  { config }: PromoteServices,
  db: Database,
  sizes: SegmentSizes,
): Promise<Step | null> {
  const workspaceIds = await largeWorkspaces(db, config);
  if (workspaceIds.length === 0) return null;
  const { segments, remains, isBeingBuilt } = await readVectorIndex(db);
  if (isBeingBuilt) return null;
  if (remains.length > 0) return { does: 'drop', names: remains };
  const older = segments.find(({ takesAll }) => takesAll);
  if (older) return { does: 'build', from: older.from, to: older.to };
  const most = mostRows(config, sizes);
  for (const gap of gapsOf(segments)) {
    if (await hasPromoted(db, workspaceIds, gap)) {
      return { does: 'build', ...(await fitting(db, gap, most)) };
    }
  }
  const isBusy = await areDocumentsWaiting(db);
  const end = segments.at(-1)?.to ?? 0;
  const enough = segments.length === 0 ? 1 : sizes.new[isBusy ? 'busy' : 'idle'];
  if ((await countFrom(db, workspaceIds, end, enough)) >= enough) {
    return { does: 'promote', from: end };
  }
  const merged = chooseMerge(segments, sizes, most, isBusy);
  const [first, last] = [merged.at(0), merged.at(-1)];
  return first && last ? { does: 'build', from: first.from, to: last.to } : null;
}

async function takeStep(
  step: Step,
  { config }: PromoteServices,
  connection: Database,
  sizes: SegmentSizes,
  signal: AbortSignal,
): Promise<number> {
  if (step.does === 'drop') {
    await dropConcurrently(connection, step.names);
    return 0;
  }
  const share = { workers: config.VECTOR_INDEX_WORKERS, megabytes: config.VECTOR_INDEX_MEMORY_MB };
  const most = mostRows(config, sizes);
  if (step.does === 'build') {
    await createSegment(connection, step, share);
    return 0;
  }
  const number = await nextNumber(connection, step.from);
  const limit = (await areDocumentsWaiting(connection)) ? sizes.mergedWhileBusy : most;
  // The rows are marked first, and building an index over them is faster than inserting them. Searches scan them meanwhile.
  const moved = await promoteAll(connection, config, number, limit, signal);
  signal.throwIfAborted();
  const range = { from: step.from, to: number + 1 };
  if (await hasPromoted(connection, await largeWorkspaces(connection, config), range)) {
    await createSegment(connection, await fitting(connection, range, most), share);
  }
  return moved;
}

/** As many vectors as a build has memory for: beyond that, it takes many times as long. */
function mostRows(
  { VECTOR_INDEX_MEMORY_MB }: PromoteServices['config'],
  { mergedWhileBusy }: SegmentSizes,
): number {
  return Math.max(mergedWhileBusy, VECTOR_INDEX_MEMORY_MB * ROWS_PER_MB);
}

async function areDocumentsWaiting(db: Database): Promise<boolean> {
  const { rows } = await sql<{ waiting: boolean }>`
    select exists (select 1 from document where status in ('accepted', 'indexing')) as waiting`.execute(
    db,
  );
  return rows[0]?.waiting === true;
}

async function largeWorkspaces(
  db: Database,
  { VECTOR_PROMOTE_THRESHOLD }: PromoteServices['config'],
): Promise<WorkspaceId[]> {
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    select workspace_id from term_count
    where bucket = ${CHUNKS_BUCKET} and chunks[1] > ${VECTOR_PROMOTE_THRESHOLD}`.execute(db);
  return rows.map((row) => row.workspace_id);
}

/** Vectors of the workspaces that are staged, or promoted under a number without an index. Counts little beyond `most`. */
async function countFrom(
  db: Database,
  workspaceIds: WorkspaceId[],
  from: number,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      (select 1 from chunk_vector where workspace_id = any(${workspaceIds}::uuid[]) and not promoted
        limit ${most})
      union all
      (select 1 from chunk_vector where workspace_id = any(${workspaceIds}::uuid[]) and promoted
        and segment >= ${from} limit ${most})) found`.execute(db);
  return rows[0]?.count ?? 0;
}

async function hasPromoted(
  db: Database,
  workspaceIds: WorkspaceId[],
  { from, to }: SegmentRange,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from chunk_vector where workspace_id = any(${workspaceIds}::uuid[])
      and promoted and segment >= ${from} and segment < ${to}) as found`.execute(db);
  return rows[0]?.found === true;
}

/** A number that no index has: a sequence may be behind the rows, in a copy by logical replication for one. */
async function nextNumber(db: Database, end: number): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select setval('vector_segment', greatest(nextval('vector_segment'), ${end}))::int as number`.execute(
    db,
  );
  return rows[0]?.number ?? end;
}

/** The beginning of a range that has at most so many promoted vectors, or all of its first number that has any. */
async function fitting(
  db: Database,
  { from, to }: SegmentRange,
  most: number,
): Promise<SegmentRange> {
  const { rows } = await sql<{ end: number }>`
    select segment + (total = own)::int as "end" from (
      select segment, count(*) as own, sum(count(*)) over (order by segment) as total from chunk_vector
      where promoted and segment >= ${from} and segment < ${to} group by segment) counted
    where total > ${most} order by segment limit 1`.execute(db);
  return { from, to: rows[0]?.end ?? to };
}

async function promoteAll(
  db: Database,
  config: PromoteServices['config'],
  number: number,
  most: number,
  signal: AbortSignal,
): Promise<number> {
  let moved = 0;
  for (const workspaceId of await largeWorkspaces(db, config)) {
    let step = ROWS_PER_STEP;
    while (step === ROWS_PER_STEP && moved < most) {
      signal.throwIfAborted();
      step = await promoteSome(db, workspaceId, number);
      moved += step;
    }
  }
  return moved;
}

async function promoteSome(
  db: Database,
  workspaceId: WorkspaceId,
  number: number,
): Promise<number> {
  const { rows } = await sql<{ moved: number }>`
    with staged as (
      select chunk_id from chunk_vector where workspace_id = ${workspaceId} and not promoted
      limit ${ROWS_PER_STEP} for update skip locked
    ), moved as (
      update chunk_vector v set promoted = true, segment = ${number}
      from staged where v.chunk_id = staged.chunk_id
      returning 1
    ) select count(*)::int as moved from moved`.execute(db);
  return rows[0]?.moved ?? 0;
}
