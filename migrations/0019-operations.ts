import { type Kysely, sql } from 'kysely';

/** What the operations pages show: see docs/operations-design.md. Queue names are text, since the code lists them. */
const STATEMENTS = [
  `create table worker_process (
    id uuid primary key,
    host text not null,
    pid integer not null,
    version text not null,
    started_at timestamptz not null,
    beat_at timestamptz not null,
    queues json not null,
    jobs json not null)`,
  `create table queue_minute (
    minute timestamptz not null,
    queue text not null,
    process_id uuid not null,
    finished integer not null,
    failed integer not null,
    retried integer not null,
    waits integer[] not null,
    runs integer[] not null,
    primary key (minute, queue, process_id))`,
  `create table queue_hour (
    hour timestamptz not null,
    queue text not null,
    finished integer not null,
    failed integer not null,
    retried integer not null,
    waits integer[] not null,
    runs integer[] not null,
    oldest_ms bigint not null,
    primary key (hour, queue))`,
  `create table queue_depth (
    minute timestamptz not null,
    queue text not null,
    due integer not null,
    oldest_ms bigint not null,
    primary key (minute, queue))`,
  `create table queue_pause (
    queue text primary key,
    user_id uuid references user_account on delete set null,
    user_name text not null,
    reason text,
    paused_at timestamptz not null default now())`,
  `create table queue_alarm (
    id bigint generated always as identity primary key,
    queue text not null,
    kind text not null check (kind in ('no_worker', 'stuck', 'falling_behind')),
    message text not null,
    since timestamptz not null,
    raised_at timestamptz not null,
    cleared_at timestamptz)`,
  `create unique index queue_alarm_open on queue_alarm (queue, kind) where cleared_at is null`,
  `create table queue_repair (
    minute timestamptz not null,
    queue text not null,
    rows integer not null,
    primary key (minute, queue))`,
  `create table search_minute (
    minute timestamptz not null,
    workspace_id uuid not null references workspace on delete cascade,
    searches integer not null,
    primary key (workspace_id, minute))`,
  `create table operator_action (
    id bigint generated always as identity primary key,
    user_id uuid references user_account on delete set null,
    user_name text not null,
    api_key_id uuid references api_key on delete set null,
    action text not null,
    queue text,
    detail json not null,
    request_id text,
    created_at timestamptz not null default now())`,
  `create index operator_action_age on operator_action (created_at)`,
  `create table watch_duty (
    name text primary key,
    held_by uuid not null,
    held_until timestamptz not null,
    tidied_at timestamptz not null)`,
  // The role of operators who only look.
  ...['api_key.role', 'user_account.sign_in_role', 'invitation.role'].map((place) => {
    const [table, column] = place.split('.');
    const name = `${table}_${column}_check`;
    return `alter table ${table} drop constraint ${name}, add constraint ${name}
      check (${column} in ('admin', 'member', 'ingest', 'read', 'observer'))`;
  }),
  // Failures of a chosen time, over all workspaces.
  `create index document_failed_at on document (coalesce(indexing_started_at, accepted_at)) where status = 'failed'`,
  `create index webhook_delivery_exhausted on webhook_delivery (finished_at) where status = 'exhausted'`,
  `create index prune_attempt_failed on prune_attempt (finished_at) where status = 'failed'`,
  `create index user_file_failed on user_file (queued_at) where status = 'FAILED'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
