import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The words of a workspace for the speller, by first letter and length: see src/documents/word-buckets.ts.
  sql`create table word_bucket (
    workspace_id uuid not null references workspace on delete cascade,
    bucket smallint not null,
    words text[] not null,
    checked_at timestamptz not null default now(),
    primary key (workspace_id, bucket))`,
  sql`create index word_bucket_checked on word_bucket (checked_at)`,
  // Up to which chunk the words were gathered: from the first one, so that an older index gets its words, too.
  sql`insert into deployment_fact (name, value)
    values ('words_gathered', '{"until": 0, "horizon": 0, "xid": "0"}')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
