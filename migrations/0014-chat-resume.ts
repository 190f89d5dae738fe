import { type Kysely, sql } from 'kysely';

/** Until when a reader in another process is known to follow the answer; renewed while it does. */
const FOLLOWED = sql`alter table chat_run add column followed_until timestamptz`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await FOLLOWED.execute(db);
}
