import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Set by people, so an edit of the document leaves them alone.
  sql`alter table document add column boost integer not null default 0,
    add column hidden boolean not null default false`,
  // Beside `document_hidden`, whose condition the version before still asks for while both serve.
  sql`create index document_hidden_by_hand on document (workspace_id) where hidden`,
  sql`create index document_boosted on document (workspace_id, boost) where boost <> 0`,
  // The words of each title, for suggestions and `title:`. Every word begins with the mark of its workspace: see
  // src/documents/title-words.ts. Without a row a title is found by its passages only.
  sql`create table document_title (
    document_id bigint primary key references document on delete cascade,
    workspace_id uuid not null,
    words tsvector not null)`,
  sql`create index document_title_words on document_title using gin (words)
    with (gin_pending_list_limit = 256)`,
  // Titles of the version before wait for src/documents/fill-titles.ts, up to the newest document of now.
  sql`insert into deployment_fact (name, value)
    select 'titles_to_fill', json_build_object('after', 0, 'through', max(id)) from document having max(id) is not null`,
  sql`create table search_settings (
    workspace_id uuid primary key references workspace on delete cascade,
    recency_bias text not null check (recency_bias in ('no_decay', 'base_decay', 'favor_recent', 'auto')),
    hybrid_alpha double precision check (hybrid_alpha between 0 and 1))`,
  // One row a phrase; phrases of one group mean the same. `form` is what is compared, `phrase` what is shown.
  sql`create table search_synonym (
    workspace_id uuid not null references workspace on delete cascade,
    form text not null,
    group_number integer not null,
    place integer not null,
    phrase text not null,
    primary key (workspace_id, form, group_number))`,
  sql`create index search_synonym_group on search_synonym (workspace_id, group_number)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
