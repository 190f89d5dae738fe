import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A third of a `halfvec`: see bit-planes.ts. A table of its own, because a scan of the sign bits reads whole rows:
  // Postgres moves values out of line from rows above 2 KB only. No foreign key, as in `chunk_vector`.
  sql`create table chunk_planes (chunk_id bigint primary key, planes varbit not null, scale real not null)`,
  sql`alter table chunk_planes alter column planes set storage external`,
  // Rows of the version before keep theirs until the document changes.
  sql`alter table chunk_vector alter column embedding drop not null, alter column bits set storage plain`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
