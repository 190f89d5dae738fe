import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';

/**
 * Every row of a workspace as JSON text, by table: all tables with a `workspace_id`, the join tables, and term counts
 * as sums, because folding moves them from one table to the other. Without the speller's words, the latent basis and the
 * figures of searches, which the service writes later, and without postings, which it merges; `chunk_terms` has what
 * they say.
 */
export async function dumpWorkspace(
  db: Database,
  workspaceId: string,
): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'workspace_id'
      and table_name not in ('term_count', 'term_delta', 'word_bucket', 'posting_segment', 'latent_basis', 'search_minute') order by 1`.execute(
    db,
  );
  const selections: [string, ReturnType<typeof sql<{ row: string }>>][] = [
    ...tables.map(({ name }): [string, ReturnType<typeof sql<{ row: string }>>] => [
      name,
      sql`select to_jsonb(t)::text as row from ${sql.table(name)} t
        where workspace_id = ${workspaceId} order by 1`,
    ]),
    ['workspace', sql`select to_jsonb(t)::text as row from workspace t where id = ${workspaceId}`],
    ...['person', 'person_login'].map((name): [string, ReturnType<typeof sql<{ row: string }>>] => [
      name,
      sql`select to_jsonb(t)::text as row from ${sql.table(name)} t
          where ${sql.ref(name === 'person' ? 't.id' : 't.person_id')} in
            (select person_id from user_account where workspace_id = ${workspaceId}) order by 1`,
    ]),
    [
      'document_text',
      sql`select to_jsonb(t)::text as row from document_text t
        where document_id in (select id from document where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'document_cc_pair',
      sql`select to_jsonb(t)::text as row from document_cc_pair t
        where cc_pair_id in (select id from cc_pair where workspace_id = ${workspaceId})
          or document_id in (select id from document where workspace_id = ${workspaceId}) order by 1`,
    ],
    ...['connector_memory', 'document_set_cc_pair'].map(
      (name): [string, ReturnType<typeof sql<{ row: string }>>] => [
        name,
        sql`select to_jsonb(t)::text as row from ${sql.table(name)} t
          where cc_pair_id in (select id from cc_pair where workspace_id = ${workspaceId}) order by 1`,
      ],
    ),
    [
      'prune_listing',
      sql`select to_jsonb(t)::text as row from prune_listing t where prune_attempt_id in
        (select id from prune_attempt where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'user_file_chunk',
      sql`select to_jsonb(t)::text as row from user_file_chunk t where user_file_id in
        (select id from user_file where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'project_file',
      sql`select to_jsonb(t)::text as row from project_file t
        where project_id in (select id from project where workspace_id = ${workspaceId})
          or user_file_id in (select id from user_file where workspace_id = ${workspaceId})
        order by 1`,
    ],
    [
      'chat_run_part',
      sql`select to_jsonb(t)::text as row from chat_run_part t where chat_message_id in
        (select chat_message_id from chat_run where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'stored_file_part',
      sql`select to_jsonb(t)::text as row from stored_file_part t where stored_file_id in
        (select id from stored_file where workspace_id = ${workspaceId}) order by 1`,
    ],
    [
      'terms',
      sql`select concat(term, ' ', sum(n)) as row from (
          select term, n from term_count, unnest(terms, chunks) as counts(term, n)
            where workspace_id = ${workspaceId}
          union all select term, n from term_delta, unnest(terms, deltas) as changes(term, n)
            where workspace_id = ${workspaceId}) counted
        group by term order by term`,
    ],
  ];
  const dumped: Record<string, string[]> = {};
  for (const [name, selection] of selections) {
    dumped[name] = (await selection.execute(db)).rows.map(({ row }) => row);
  }
  return dumped;
}
