import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // How a phrase is compared with queries: see src/documents/search/synonym-stems.ts. Null in rows of the version before:
  // these are compared by their form until src/documents/search/fill-synonyms.ts has been through.
  sql`alter table search_synonym add column stems text`,
  sql`create index search_synonym_stems on search_synonym (workspace_id, stems)`,
  sql`create index search_synonym_unstemmed on search_synonym (workspace_id) where stems is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
