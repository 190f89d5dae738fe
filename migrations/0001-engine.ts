import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `create extension if not exists vector`,

  `create table workspace (
    id uuid primary key,
    name text not null,
    plan_tier text not null check (plan_tier in ('Free', 'Personal', 'Pro', 'Agency', 'Enterprise')),
    is_bootstrap boolean not null default false,
    created_at timestamptz not null default now())`,
  `create unique index workspace_one_bootstrap on workspace (is_bootstrap) where is_bootstrap`,

  `create table user_account (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    display_name text not null,
    email text,
    created_at timestamptz not null default now())`,
  `create index user_account_workspace on user_account (workspace_id)`,

  `create table api_key (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references user_account on delete cascade,
    name text not null,
    role text not null check (role in ('admin', 'member', 'ingest', 'read')),
    key_hash bytea not null unique,
    prefix text not null,
    last_four text not null,
    is_bootstrap boolean not null default false,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null default now())`,
  `create index api_key_workspace on api_key (workspace_id, created_at)`,

  `create table deployment_fact (name text primary key, value json not null)`,

  `create table cc_pair (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text not null,
    source text not null,
    is_default boolean not null default false,
    created_by uuid references user_account on delete set null,
    created_at timestamptz not null default now())`,
  `create unique index cc_pair_one_default on cc_pair (workspace_id) where is_default`,

  `create table document_set (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text not null,
    description text not null default '',
    created_at timestamptz not null default now(),
    unique (workspace_id, name))`,
  `create table document_set_cc_pair (
    document_set_id integer not null references document_set on delete cascade,
    cc_pair_id integer not null references cc_pair on delete cascade,
    primary key (document_set_id, cc_pair_id))`,

  `create table document (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    external_id text not null,
    semantic_identifier text not null,
    title text,
    source text not null,
    sections json not null,
    metadata json not null,
    tags text[] not null,
    doc_updated_at timestamptz,
    primary_owners json not null,
    secondary_owners json not null,
    content_hash bytea not null,
    content_bytes integer not null,
    revision integer not null default 1,
    indexed_revision integer,
    status text not null check (status in ('accepted', 'indexing', 'indexed', 'failed', 'deleting')),
    attempts integer not null default 0,
    next_attempt_at timestamptz,
    claim_token uuid,
    claimed_until timestamptz,
    queued_at timestamptz not null default now(),
    error text,
    chunk_count integer not null default 0,
    request_id text,
    created_at timestamptz not null default now(),
    accepted_at timestamptz not null default now(),
    indexing_started_at timestamptz,
    indexed_at timestamptz,
    unique (workspace_id, external_id))`,
  `create index document_status on document (workspace_id, status, id)`,
  `create index document_unfinished on document (queued_at)
    where status in ('accepted', 'indexing', 'deleting')`,
  `create index document_hidden on document (workspace_id)
    where (status = 'deleting' or indexed_at < created_at)`,
  `create index document_indexed_at on document (workspace_id, indexed_at) where indexed_at is not null`,
  `create index document_tags on document using gin (tags)`,
  // Claims and status changes rewrite the row often; free space on the page keeps those updates cheap.
  `alter table document set (fillfactor = 80)`,
  // Writes twice as fast as pglz. A server built without lz4 keeps pglz, and so does PGlite.
  `do $$ begin
    alter table document alter column sections set compression lz4;
  exception when feature_not_supported then null;
  end $$`,

  `create table document_cc_pair (
    document_id bigint not null references document on delete cascade,
    cc_pair_id integer not null references cc_pair on delete cascade,
    primary key (document_id, cc_pair_id))`,
  `create index document_cc_pair_pair on document_cc_pair (cc_pair_id)`,

  // Counters of the rate limiter when the API processes share a database. Unlogged: not worth a disk write.
  `create unlogged table request_count (
    key varchar(255) primary key,
    points integer not null default 0,
    expire bigint)`,

  `create sequence chunk_id`,
  `create table chunk (
    id bigint primary key,
    workspace_id uuid not null,
    document_id bigint not null references document on delete cascade,
    ordinal integer not null,
    section_index integer not null,
    start_offset integer not null,
    end_offset integer not null,
    text text not null,
    is_html boolean not null,
    headings json not null,
    link text,
    hash bytea not null,
    token_count integer not null)`,
  `create index chunk_document on chunk (document_id, ordinal)`,

  // The type modifier (dimensions) is set when the embedding model is recorded. The two narrow tables have no foreign
  // keys: the statement that deletes a chunk also deletes their rows.
  `create table chunk_vector (
    chunk_id bigint primary key,
    workspace_id uuid not null,
    document_id bigint not null,
    bits bit varying not null,
    embedding halfvec not null,
    promoted boolean not null default false)`,
  `alter table chunk_vector alter column embedding set storage plain`,
  `create index chunk_vector_workspace on chunk_vector (workspace_id, promoted)`,
  `create index chunk_vector_document on chunk_vector (document_id)`,

  `create table chunk_terms (
    chunk_id bigint primary key,
    workspace_id uuid not null,
    document_id bigint not null,
    terms integer[] not null,
    weights sparsevec not null)`,
  `create index chunk_terms_terms on chunk_terms using gin (terms)`,
  // Scoring reads the weights of every candidate, so they stay in the row instead of a TOAST table.
  `alter table chunk_terms set (toast_tuple_target = 8160)`,
  `create index chunk_terms_document on chunk_terms (document_id)`,

  `create table term_count (
    workspace_id uuid not null,
    term integer not null,
    chunks bigint not null,
    primary key (workspace_id, term))`,
  `create table term_delta (
    workspace_id uuid not null,
    term integer not null,
    delta integer not null)`,
  `create index term_delta_term on term_delta (workspace_id, term)`,

  `create table chat_session (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references user_account on delete cascade,
    title text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create index chat_session_user on chat_session (workspace_id, user_id, updated_at)`,
  `create table chat_message (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    chat_session_id uuid not null references chat_session on delete cascade,
    parent_id integer references chat_message on delete cascade,
    role text not null check (role in ('user', 'assistant')),
    content text not null,
    citations json not null,
    error text,
    created_at timestamptz not null default now())`,
  `create index chat_message_session on chat_message (chat_session_id, id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
