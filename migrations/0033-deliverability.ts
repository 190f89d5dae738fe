import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // What DNS says about the sender's domain, as of the last verification: see docs/sender-accounts.md.
  await sql`alter table email_account add column deliverability json,
    add column deliverability_at timestamptz`.execute(db);
}
