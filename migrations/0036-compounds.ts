import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // Up to which chunk compounds were gathered beside the words: from the first one. The version before, while it runs
  // beside this one, goes on with its own row (words_gathered), which a later migration removes.
  await sql`insert into deployment_fact (name, value)
    values ('compounds_gathered', '{"until": 0, "horizon": 0, "xid": "0"}')`.execute(db);
}
