import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // One signed byte a dimension. Rows of the version before keep their `halfvec` until the document changes.
  sql`alter table chunk_vector add column quantized bytea, alter column embedding drop not null`,
  // A scan of the sign bits reads rows without their vectors, so these are out of line even where both would fit a block.
  sql`alter table chunk_vector alter column quantized set storage external, alter column bits set storage plain`,
  sql`alter table chunk_vector set (toast_tuple_target = 256)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
