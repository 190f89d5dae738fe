import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Word search reads postings: see docs/postings.md. A segment never changes once it is ready.
  sql`create table posting_segment (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    chunks integer not null,
    buckets integer not null,
    directory bytea not null,
    ready boolean not null,
    created_at timestamptz not null default now(),
    checked_at timestamptz not null default now())`,
  sql`create index posting_segment_workspace on posting_segment (workspace_id)`,
  sql`create index posting_segment_checked on posting_segment (checked_at)`,
  sql`create table posting_bucket (
    segment_id uuid not null references posting_segment on delete cascade,
    bucket integer not null,
    postings bytea not null,
    primary key (segment_id, bucket))`,
  // Coded bytes do not compress, and a search reads few of the rows: they stay in place.
  sql`alter table posting_segment alter column directory set storage external`,
  sql`alter table posting_bucket alter column postings set storage external`,
  sql`alter table posting_bucket set (toast_tuple_target = 8160)`,
  // Rows of the version before have no postings until src/documents/adopt-terms.ts has read them.
  sql`alter table chunk_terms add column in_postings boolean not null default false`,
  sql`create index chunk_terms_loose on chunk_terms (workspace_id) where not in_postings`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
