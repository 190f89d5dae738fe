import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Chunks hidden from searches while a large document is replaced: see src/documents/shown-chunks.ts.
  sql`alter table document add column hidden_above bigint, add column hidden_ids bigint[]`,
  sql`create index document_hidden_above on document (workspace_id) where hidden_above is not null`,
  sql`create index document_hidden_ids on document (workspace_id) where hidden_ids is not null`,
  // Indexing cost in bytes of text; null in older rows, which use their size instead.
  sql`alter table document add column index_cost integer`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
