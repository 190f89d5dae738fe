import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A failure that an operator has put aside. A later failure of the same row counts again.
  sql`create table failure_discard (
    queue text not null,
    row_id text not null,
    failed_at timestamptz not null,
    discarded_at timestamptz not null default now(),
    primary key (queue, row_id))`,
  sql`create index failure_discard_age on failure_discard (discarded_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
