import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A row of `document` is written each time its state changes. The text, most of its bytes, is written once.
  sql`create table document_text (
    document_id bigint primary key references document on delete cascade,
    sections json not null)`,
  // Rows of the version before keep their text until the document changes.
  sql`alter table document alter column sections drop not null`,
  sql`alter table document add column link text`,
  // Their rows live for a short time, too: see 0041.
  sql`alter table word_bucket set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`,
  sql`alter table term_count set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
