import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The status in the predicate of an index kept every claim of a delivery from being a HOT update.
  sql`create index webhook_delivery_failed on webhook_delivery (finished_at)
    where finished_at is not null and error is not null`,
  sql`drop index webhook_delivery_exhausted`,
  // A delivery is written three times within a moment: its versions fit on one page, and the table becomes no larger.
  sql`alter table webhook_delivery set (fillfactor = 50)`,
  // An attempt goes with its delivery, which goes with the workspace.
  sql`alter table webhook_attempt drop constraint webhook_attempt_workspace_id_fkey`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
