import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Which chunks searches do not see while a large document is replaced: see src/documents/shown-chunks.ts.
  sql`alter table document add column hidden_above bigint, add column hidden_ids bigint[]`,
  sql`create index document_hidden_above on document (workspace_id) where hidden_above is not null`,
  sql`create index document_hidden_ids on document (workspace_id) where hidden_ids is not null`,
  // What indexing costs, in bytes of text; null in rows from before: their bytes stand for it.
  sql`alter table document add column index_cost integer`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
