import { type Kysely, sql } from 'kysely';

/**
 * Tables whose rows are written several times or live for a moment. By default, autovacuum waits for a fifth of a table
 * to be dead: in a table of millions that is much room, and much to read over.
 */
const STATEMENTS = [
  sql`alter table document set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`,
  sql`alter table webhook_delivery set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`,
  sql`alter table posting_bucket set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`,
  sql`alter table term_delta set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
