import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The pages of a site that could not be read, and why: [{"url": …, "reason": …}].
  sql`alter table lead_scrape_site add column problems json not null default '[]'`,
  sql`alter table lead_scrape_site drop constraint lead_scrape_site_status_check`,
  sql`alter table lead_scrape_site add constraint lead_scrape_site_status_check
    check (status in ('pending', 'done', 'partial', 'failed'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
