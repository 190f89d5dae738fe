import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import {
  isSealed,
  keyIdIn,
  keyPartFor,
  keyPartOf,
  SEALED_COLUMNS,
  type SealedColumn,
} from './sealed-columns.ts';

type Connection = Database | DatabaseTransaction;

/** Ids of the keys that sealed values. Needs only a few index look-ups, however many values there are. */
export async function findKeysInUse(db: Connection): Promise<Set<string>> {
  const found = new Set<string>();
  for (const column of SEALED_COLUMNS) {
    for (const part of await distinctKeyParts(db, column)) found.add(keyIdIn(part));
  }
  return found;
}

/** Skips from each key to the next larger one: PostgreSQL before 18 has no index skip scan. */
async function distinctKeyParts(db: Connection, column: SealedColumn): Promise<string[]> {
  const [table, part] = [sql.table(column.table), keyPartOf(column)];
  const { rows } = await sql<{ part: string }>`
    with recursive used (part) as (
      (select ${part} from ${table} where ${isSealed(column)} order by ${part} limit 1)
      union all
      select (select ${part} from ${table}
        where ${isSealed(column)} and ${part} > used.part order by ${part} limit 1)
      from used where used.part is not null)
    select part from used where part is not null`.execute(db);
  return rows.map(({ part: found }) => found);
}

/** Number of values sealed with each key. */
export async function countValuesByKey(db: Connection): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const column of SEALED_COLUMNS) {
    const { rows } = await sql<{ part: string; values: number }>`
      select ${keyPartOf(column)} as part, count(*)::int as values
      from ${sql.table(column.table)} where ${isSealed(column)} group by 1`.execute(db);
    for (const { part, values } of rows) {
      const id = keyIdIn(part);
      counts.set(id, (counts.get(id) ?? 0) + values);
    }
  }
  return counts;
}

export interface SealedValue {
  column: SealedColumn;
  id: string;
  sealed: string;
}

/** Up to `limit` values sealed with a key. */
export async function sampleValues(
  db: Connection,
  keyId: string,
  limit: number,
): Promise<SealedValue[]> {
  const samples: SealedValue[] = [];
  for (const column of SEALED_COLUMNS) {
    const { rows } = await sql<{ id: string; sealed: string }>`
      select id::text as id, ${sql.ref(column.column)} as sealed from ${sql.table(column.table)}
      where ${isSealed(column)} and ${keyPartOf(column)} = ${keyPartFor(keyId)}
      limit ${limit - samples.length}`.execute(db);
    samples.push(...rows.map((row) => ({ column, ...row })));
    if (samples.length >= limit) break;
  }
  return samples;
}
