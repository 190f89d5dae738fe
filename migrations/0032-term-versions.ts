import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Which version made the terms of a chunk, of its segment, and the words of a title: see src/documents/terms-version.ts.
  // Rows of the version before are 0; src/documents/renew-terms.ts and renew-titles.ts bring them up to date.
  sql`alter table chunk_terms add column terms_version smallint not null default 0`,
  sql`create index chunk_terms_older on chunk_terms (workspace_id) where terms_version < 1`,
  sql`alter table posting_segment add column terms_version smallint not null default 0`,
  sql`alter table document_title add column terms_version smallint not null default 0`,
  sql`create index document_title_older on document_title (workspace_id) where terms_version < 1`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
