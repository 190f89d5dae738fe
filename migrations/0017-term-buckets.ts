import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // One row per 256th of the terms instead of one per term: see src/documents/term-counts.ts.
  sql`create table summed as
    select workspace_id, case when term < 0 then -1 else term & 255 end as bucket,
      array_agg(term) as terms, array_agg(n) as chunks
    from (
      select workspace_id, term, sum(n)::integer as n from (
        select workspace_id, term, chunks as n from term_count
        union all select workspace_id, term, delta from term_delta) parts
      group by workspace_id, term having sum(n) <> 0) terms
    group by 1, 2`,
  sql`drop table term_count, term_delta`,
  sql`create table term_count (
    bucket smallint not null,
    workspace_id uuid not null,
    terms integer[] not null,
    chunks integer[] not null,
    primary key (bucket, workspace_id))`,
  // Hashes do not compress.
  sql`alter table term_count alter column terms set storage external`,
  sql`create table term_delta (
    bucket smallint not null,
    workspace_id uuid not null,
    terms integer[] not null,
    deltas integer[] not null)`,
  sql`create index term_delta_bucket on term_delta (bucket, workspace_id)`,
  sql`insert into term_count (bucket, workspace_id, terms, chunks)
    select bucket, workspace_id, terms, chunks from summed`,
  sql`drop table summed`,
  // A write that fills the list of pending entries moves it into the index, and every search reads it.
  sql`alter index chunk_terms_terms set (gin_pending_list_limit = 1024)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
