import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The addresses of a scrape that names several; then `query` only tells of them.
  sql`alter table lead_scrape add column urls text[]`,
  // Where else on the site its visit starts.
  sql`alter table lead_scrape_site add column further_urls text[] not null default '{}'`,
  sql`alter table lead_scrape add column far_sites integer not null default 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
