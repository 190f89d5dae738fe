import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';

/** The tables that grow with the documents and could be partitioned. */
export const TABLES = [
  'document',
  'chunk_vector',
  'chunk_planes',
  'posting_bucket',
  'term_delta',
] as const;

export type GrowingTable = (typeof TABLES)[number];

/** As partitions they need one more column. */
const UNKEYED: readonly GrowingTable[] = ['chunk_planes', 'posting_bucket'];
/** What the statements that accept and claim documents also touch. It stays whole on either side. */
const BESIDE = ['document_text', 'document_cc_pair'];

const KEY = 'workspace_id';

/** Whether the product's table has a `workspace_id`. */
export function isKeyed(table: GrowingTable): boolean {
  return !UNKEYED.includes(table);
}

/**
 * Copies the product's tables, as the migrations left them in `public`, into a schema of their own: columns, storage,
 * keys, indexes, fill factor, and foreign keys but those to `document`, which partitions could not have without a
 * `workspace_id` in every table that refers to it. Autovacuum is off, so that no measure has one beside it.
 * @param partitions by hash of `workspace_id`; null for plain tables
 */
export async function createTables(
  db: Database,
  schema: string,
  partitions: number | null,
): Promise<void> {
  await sql`create schema ${sql.id(schema)}`.execute(db);
  for (const table of BESIDE) await copyTable(db, schema, table, null, false);
  for (const table of TABLES) await copyTable(db, schema, table, partitions, !isKeyed(table));
}

async function copyTable(
  db: Database,
  schema: string,
  table: string,
  partitions: number | null,
  addsKey: boolean,
): Promise<void> {
  const name = `${schema}.${table}`;
  const settings = await readSettings(db, table);
  const key = partitions !== null && addsKey ? `, ${KEY} uuid not null` : '';
  const columns = `(like public.${table} including all excluding indexes${key})`;
  if (partitions === null) {
    await run(db, `create table ${name} ${columns} with (${settings})`);
  } else {
    await run(db, `create table ${name} ${columns} partition by hash (${KEY})`);
    for (let remainder = 0; remainder < partitions; remainder += 1) {
      await run(
        db,
        `create table ${name}_${remainder} partition of ${name}
          for values with (modulus ${partitions}, remainder ${remainder}) with (${settings})`,
      );
    }
  }
  for (const definition of await readIndexes(db, table)) {
    await run(db, indexOn(definition, { schema, table, isPartitioned: partitions !== null }));
  }
  for (const definition of await readForeignKeys(db, table)) {
    await run(db, `alter table ${name} add ${definition}`);
  }
}

/**
 * The statement that makes an index of `public.<table>` on the table of another schema. Unique indexes of partitioned
 * tables must contain the column that parts them.
 * @param definition as `pg_get_indexdef` says it
 */
export function indexOn(
  definition: string,
  place: { schema: string; table: string; isPartitioned: boolean },
): string {
  const moved = definition.replace(
    ` ON public.${place.table} `,
    ` ON ${place.schema}.${place.table} `,
  );
  const isUnique = definition.startsWith('CREATE UNIQUE INDEX');
  if (!place.isPartitioned || !isUnique || definition.includes(KEY)) return moved;
  return moved.replace(/\(([^()]+)\)$/, `($1, ${KEY})`);
}

/** With indexes and what is stored out of line, of all partitions. */
export async function readBytes(db: Database, table: GrowingTable): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
    where oid = ${table}::regclass
      or oid in (select inhrelid from pg_inherits where inhparent = ${table}::regclass)`.execute(
    db,
  );
  return rows[0]?.bytes ?? NaN;
}

async function readSettings(db: Database, table: string): Promise<string> {
  const { rows } = await sql<{ setting: string }>`
    select unnest(reloptions) as setting from pg_class
    where oid = ${`public.${table}`}::regclass`.execute(db);
  return [...rows.map(({ setting }) => setting), 'autovacuum_enabled=false'].join(', ');
}

async function readIndexes(db: Database, table: string): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = ${`public.${table}`}::regclass order by indexrelid`.execute(db);
  return rows.map(({ definition }) => definition);
}

async function readForeignKeys(db: Database, table: string): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${`public.${table}`}::regclass and contype = 'f'
      and confrelid <> 'public.document'::regclass`.execute(db);
  return rows.map(({ definition }) => definition);
}

async function run(db: Database, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
