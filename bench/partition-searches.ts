import { CompiledQuery, sql } from 'kysely';
import { type BucketPlace, bucketsAt } from '#src/documents/read-postings.ts';
import { NO_FILTERS } from '#src/documents/search/search-filters.ts';
import { visibleOf } from '#src/documents/search/search-postings.ts';
import { searchable, type SearchScope } from '#src/documents/search/search-scope.ts';
import { searchVectors } from '#src/documents/search/search-vectors.ts';
import { readTermCounts } from '#src/documents/term-counts.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Config } from '#src/platform/config.ts';
import { DIMENSIONS, idOf, type FilledRows } from './partition-rows.ts';
import type { Side } from './partition-sides.ts';
import type { GrowingTable } from './partition-tables.ts';
import { createRandom } from './synthetic-documents.ts';

/** What each half of a search returns. */
const CANDIDATES = 500;
/** Best chunks by words that are looked up first: see src/documents/search/search-postings.ts. */
const BEST_CHUNKS = 600;
/** Of a question with five words over a segment with all its buckets, or over twenty segments. */
const BUCKETS = 100;
const TERMS = [1, 300, 70_000, 4_000_001, 90_000_002];

export interface Search {
  name: string;
  /** How often it is asked in a row, so that its processor time can be read. */
  times: number;
  ask: (side: Side) => Promise<unknown>;
}

interface Asked {
  rows: FilledRows;
  /** Rows of each table. */
  filled: Record<GrowingTable, number>;
  workspaceIds: readonly WorkspaceId[];
  /** Numbers of the workspaces. */
  large: number;
  small: number;
  config: Config;
}

/** The statements of searches that read these tables. */
export function searchesOf(asked: Asked): Search[] {
  const vector = unitVector();
  const signs = Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('');
  const [large, small] = [scopeOf(asked, asked.large), scopeOf(asked, asked.small)];
  const numbers = asked.rows.documentsOf(asked.large, asked.filled.chunk_vector, BEST_CHUNKS);
  const ids = numbers.map(idOf);
  const best = ids.map((key) => ({ key, score: 1 }));
  const places = asked.rows.bucketsOf(asked.large, asked.filled.posting_bucket, BUCKETS);
  const byVectors = (scope: SearchScope, name: string, times: number): Search => ({
    name,
    times,
    // With no chunks it takes no index.
    ask: ({ db }) => searchVectors({ db, config: asked.config }, scope, vector, 0),
  });
  return [
    { name: 'sign bits, large', times: 5, ask: (side) => nearestBits(side, large, signs) },
    { name: 'sign bits, small', times: 150, ask: (side) => nearestBits(side, small, signs) },
    byVectors(large, 'vector half, large', 5),
    byVectors(small, 'vector half, small', 60),
    inWorkspace(byVectors(large, 'vector half, large, planes with workspace', 5), large),
    inWorkspace(byVectors(small, 'vector half, small, planes with workspace', 60), small),
    { name: '500 planes by id', times: 150, ask: (side) => readPlanes(side, ids, null) },
    {
      name: '500 planes by id and workspace',
      times: 100,
      ask: (side) => readPlanes(side, ids, large.workspaceId),
    },
    { name: '600 chunks by id', times: 80, ask: ({ db }) => visibleOf(db, large, best) },
    {
      name: '100 buckets',
      times: 150,
      ask: ({ db }) => bucketsAt(places).execute(db),
    },
    {
      name: '100 buckets, with workspace',
      times: 150,
      ask: (side) => readBuckets(side, places, large.workspaceId),
    },
    {
      name: 'term counts',
      times: 150,
      ask: ({ db }) => readTermCounts(db, large.workspaceId, TERMS),
    },
  ];
}

function scopeOf({ workspaceIds }: Asked, workspace: number): SearchScope {
  const workspaceId = workspaceIds[workspace];
  if (workspaceId === undefined) throw new Error(`There is no workspace ${workspace}.`);
  return {
    workspaceId,
    userId: null,
    filters: NO_FILTERS,
    conditions: [],
    includesHidden: false,
    limit: CANDIDATES,
  };
}

/** The statement of a search by vectors, which would name the workspace if the table of planes had it. */
function inWorkspace({ name, times, ask }: Search, { workspaceId }: SearchScope): Search {
  const statements = new Map<Side, CompiledQuery>();
  return {
    name,
    times,
    async ask(side) {
      let statement = statements.get(side);
      if (statement === undefined) {
        await ask(side);
        statement =
          side.partitions === null ? side.last() : namingWorkspace(side.last(), workspaceId);
        statements.set(side, statement);
      }
      return side.db.executeQuery(statement);
    },
  };
}

function namingWorkspace({ sql: text, parameters }: CompiledQuery, workspaceId: WorkspaceId) {
  const joined = 'left join chunk_planes using';
  if (!text.includes(joined)) throw new Error('The planes are joined in another way.');
  const own = `(select * from chunk_planes where workspace_id = '${workspaceId}') own`;
  return CompiledQuery.raw(text.replace(joined, `left join ${own} using`), [...parameters]);
}

/** As `rowsByBits` of src/documents/search/search-vectors.ts. */
async function nearestBits({ db }: Side, scope: SearchScope, signs: string): Promise<unknown> {
  return sql`select chunk_id, document_id, bits from chunk_vector
    where ${searchable(scope)}
    order by bits <~> ${signs}::bit(${sql.lit(DIMENSIONS)}) limit ${CANDIDATES}`.execute(db);
}

/**
 * The join of `nearestOf` in src/documents/search/search-vectors.ts, alone.
 * @param workspaceId asked for where the table has it; null for the statement of the product
 */
async function readPlanes(
  { db, partitions }: Side,
  ids: readonly number[],
  workspaceId: WorkspaceId | null,
): Promise<unknown> {
  const found = ids.slice(0, CANDIDATES);
  const inWorkspace =
    workspaceId === null || partitions === null
      ? sql``
      : sql` and chunk_planes.workspace_id = ${workspaceId}`;
  return sql`select count(*), sum(bit_count(planes)), sum(scale)
    from unnest(${found}::bigint[]) as nearest(chunk_id)
    left join chunk_planes on chunk_planes.chunk_id = nearest.chunk_id${inWorkspace}`.execute(db);
}

/** As `bucketsAt` of src/documents/read-postings.ts, with the workspace where the table has it. */
async function readBuckets(
  { db, partitions }: Side,
  places: readonly BucketPlace[],
  workspaceId: WorkspaceId,
): Promise<unknown> {
  const inWorkspace = partitions === null ? sql`` : sql` and p.workspace_id = ${workspaceId}`;
  return sql`select b.segment_id, b.bucket, b.postings
    from unnest(${places.map(({ segmentId }) => segmentId)}::uuid[],
      ${places.map(({ bucket }) => bucket)}::int[]) as wanted(segment_id, bucket)
    cross join lateral (select * from posting_bucket p
      where p.segment_id = wanted.segment_id and p.bucket = wanted.bucket${inWorkspace} limit 1) b`.execute(
    db,
  );
}

function unitVector(): Float32Array {
  const random = createRandom(5);
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
