import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '#src/platform/database.ts';
import { openPool } from '#src/platform/postgres.ts';
import type { Tables } from '#src/tables/tables.ts';
import { median } from './percentile.ts';

/** The tables in one of the two forms, reached by the names that the product's statements use. */
export interface Side extends AsyncDisposable {
  /** Or several, the first of which counts. */
  readonly schema: string;
  readonly partitions: number | null;
  /** One session, whose `search_path` leads to the schema. */
  readonly db: Database;
  /** The last statement, with its parameters. */
  readonly last: () => CompiledQuery;
}

interface PlannedRow {
  'QUERY PLAN': { 'Planning Time': number }[];
}

/** A session without parallel workers, whose processor time would not be that of the session. */
export function openSide(
  databaseUrl: string,
  { schema, partitions }: Pick<Side, 'schema' | 'partitions'>,
  log: Logger,
): Side {
  const url = new URL(databaseUrl);
  url.searchParams.set(
    'options',
    `-c jit=off -c max_parallel_workers_per_gather=0 -c search_path=${schema},public`,
  );
  let last: CompiledQuery = CompiledQuery.raw('select');
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: openPool(url.href, 1, log) }),
    log: ({ query }) => {
      last = query;
    },
  });
  return {
    schema,
    partitions,
    db,
    last: () => last,
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

/** @returns milliseconds, the median of some */
export async function timePlanning(
  { db }: Side,
  { sql, parameters }: CompiledQuery,
  times: number,
): Promise<number> {
  const planning: number[] = [];
  while (planning.length < times) {
    const { rows } = await db.executeQuery<PlannedRow>(
      CompiledQuery.raw(`explain (summary, format json) ${sql}`, [...parameters]),
    );
    planning.push(rows[0]?.['QUERY PLAN'][0]?.['Planning Time'] ?? NaN);
  }
  return median(planning);
}
