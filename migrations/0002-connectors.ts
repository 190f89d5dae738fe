import { type Kysely, sql } from 'kysely';

/** Each statement stands alone: PGlite and Postgres both run them in one transaction. */
const STATEMENTS = [
  `create table stored_file (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text not null,
    media_type text not null,
    byte_count bigint not null,
    metadata json not null default '{}',
    created_by uuid references user_account on delete set null,
    created_at timestamptz not null default now())`,
  `create index stored_file_workspace on stored_file (workspace_id, created_at)`,
  `create table stored_file_part (
    stored_file_id uuid not null references stored_file on delete cascade,
    part integer not null,
    content bytea not null,
    primary key (stored_file_id, part))`,
  // What is uploaded is mostly compressed already.
  `alter table stored_file_part alter column content set storage external`,

  `create table connector (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text not null,
    source text not null,
    kind text not null,
    input_type text not null,
    access_type text not null,
    settings json not null,
    refresh_freq integer,
    prune_freq integer,
    indexing_start timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (workspace_id, source, name))`,

  `create table credential (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text,
    source text not null,
    kind text not null,
    secret text not null,
    admin_public boolean not null,
    curator_public boolean not null default false,
    created_by uuid references user_account on delete set null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create index credential_workspace on credential (workspace_id, id)`,

  `alter table cc_pair
    add column connector_id integer references connector on delete restrict,
    add column credential_id integer references credential on delete restrict,
    add column access_type text not null default 'public',
    add column status text not null default 'ACTIVE'
      check (status in ('SCHEDULED', 'INITIAL_INDEXING', 'ACTIVE', 'PAUSED', 'DELETING', 'INVALID')),
    add column status_reason text,
    add column next_run_at timestamptz,
    add column next_prune_at timestamptz,
    add column synced_until timestamptz,
    add column last_success_at timestamptz,
    add column last_pruned_at timestamptz,
    add column failed_runs integer not null default 0,
    add column settings_hash text,
    add column queued_at timestamptz not null default now(),
    add column deletion_requested_at timestamptz,
    add column deletion_error text`,
  `create unique index cc_pair_link on cc_pair (connector_id, coalesce(credential_id, 0))
    where connector_id is not null`,
  `create unique index cc_pair_name on cc_pair (workspace_id, name) where connector_id is not null`,
  `create index cc_pair_credential on cc_pair (credential_id) where credential_id is not null`,
  `create index cc_pair_workspace on cc_pair (workspace_id)`,
  `create index cc_pair_due on cc_pair (next_run_at) where next_run_at is not null`,
  `create index cc_pair_prune_due on cc_pair (next_prune_at) where next_prune_at is not null`,

  // When the pair's connector last saw the document; null for documents that were pushed.
  `alter table document_cc_pair add column seen_at timestamptz`,
  `create index document_failed on document (id) where status = 'failed'`,

  `create table index_attempt (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    cc_pair_id integer not null references cc_pair on delete cascade,
    status text not null check (status in
      ('not_started', 'in_progress', 'success', 'completed_with_errors', 'failed', 'canceled')),
    from_beginning boolean not null default false,
    poll_range_start timestamptz,
    poll_range_end timestamptz not null,
    settings_hash text not null,
    checkpoint json,
    checkpoint_description text,
    waiting_for text,
    pages integer not null default 0,
    fetched integer not null default 0,
    accepted integer not null default 0,
    created integer not null default 0,
    unchanged integer not null default 0,
    skipped integer not null default 0,
    failed integer not null default 0,
    removed integer not null default 0,
    skip_reasons json not null default '{}',
    estimated_total integer,
    error text,
    outages integer not null default 0,
    resumptions integer not null default 0,
    resumed_from integer,
    claim_token uuid,
    claimed_until timestamptz,
    next_attempt_at timestamptz,
    queued_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    started_at timestamptz,
    updated_at timestamptz not null default now(),
    finished_at timestamptz)`,
  `create index index_attempt_pair on index_attempt (cc_pair_id, id)`,
  `create unique index index_attempt_one_open on index_attempt (cc_pair_id)
    where status in ('not_started', 'in_progress')`,

  `create table index_attempt_error (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    cc_pair_id integer not null references cc_pair on delete cascade,
    index_attempt_id integer not null references index_attempt on delete cascade,
    stage text not null check (stage in ('fetch', 'index')),
    document_id text,
    document_link text,
    entity_id text,
    failed_from timestamptz,
    failed_until timestamptz,
    message text not null,
    tries integer not null default 1,
    is_resolved boolean not null default false,
    created_at timestamptz not null default now(),
    resolved_at timestamptz)`,
  `create index index_attempt_error_pair on index_attempt_error (cc_pair_id, is_resolved, id)`,
  `create index index_attempt_error_attempt on index_attempt_error (index_attempt_id)`,

  `create table connector_memory (
    cc_pair_id integer not null references cc_pair on delete cascade,
    key text not null,
    document_id text,
    value json not null,
    lasting boolean not null default false,
    primary key (cc_pair_id, key))`,

  `create table prune_attempt (
    id integer generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    cc_pair_id integer not null references cc_pair on delete cascade,
    status text not null check (status in
      ('not_started', 'in_progress', 'success', 'needs_confirmation', 'failed', 'canceled')),
    known integer not null default 0,
    listed integer not null default 0,
    gone integer not null default 0,
    removed integer not null default 0,
    confirmed_gone integer,
    error text,
    outages integer not null default 0,
    claim_token uuid,
    claimed_until timestamptz,
    next_attempt_at timestamptz,
    queued_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz)`,
  `create index prune_attempt_pair on prune_attempt (cc_pair_id, id)`,
  `create unique index prune_attempt_one_open on prune_attempt (cc_pair_id)
    where status in ('not_started', 'in_progress')`,
  `create table prune_listing (
    prune_attempt_id integer not null references prune_attempt on delete cascade,
    document_id text not null,
    primary key (prune_attempt_id, document_id))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
