import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A third of a `halfvec`: see bit-planes.ts. Rows of the version before keep theirs until the document changes.
  sql`alter table chunk_vector add column planes varbit, add column scale real, alter column embedding drop not null`,
  // A scan of the sign bits reads rows without their planes where these are out of line: in rows above 2 KB, which are
  // those of more than 2,600 dimensions.
  sql`alter table chunk_vector alter column planes set storage external, alter column bits set storage plain`,
  sql`alter table chunk_vector set (toast_tuple_target = 256)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
