import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Rows that an earlier version promoted are those of segment 0.
  sql`alter table chunk_vector add column segment integer not null default 0`,
  sql`create sequence vector_segment as integer`,
  // Finds staged rows, and promoted ones that no index covers.
  sql`create index chunk_vector_segment on chunk_vector (workspace_id, promoted, segment)`,
  sql`drop index chunk_vector_workspace`,
  // A segment has rows of few workspaces: without this, the planner expects of each as many as in the whole table.
  sql`create statistics chunk_vector_rows (mcv) on workspace_id, promoted, segment from chunk_vector`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
