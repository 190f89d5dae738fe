import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Postings find the chunks that have a term. Rows are looked through only where these have none yet. First, because it
  // reads the table, and what follows locks it.
  sql`create index chunk_terms_loose_terms on chunk_terms using gin (terms) where not in_postings`,
  sql`drop index chunk_terms_terms`,
  // A row has either: the weights of the version before, or how often its terms occur that do so more than once.
  sql`alter table chunk_terms alter column weights drop not null`,
  sql`alter table chunk_terms add column frequencies bytea`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
