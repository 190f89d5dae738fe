import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `create table webhook_endpoint (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    url text not null,
    description text not null default '',
    event_types text[],
    rate_limit integer check (rate_limit > 0),
    enabled boolean not null default true,
    disabled_reason text,
    disabled_at timestamptz,
    secret text not null,
    previous_secret text,
    previous_secret_until timestamptz,
    last_success_at timestamptz,
    failing_since timestamptz,
    last_failure_at timestamptz,
    failures integer not null default 0,
    breaker_trips integer not null default 0,
    breaker_until timestamptz,
    paced_until timestamptz,
    wake_at timestamptz,
    claim_token text,
    claimed_until timestamptz,
    queued_at timestamptz not null default now(),
    deleted_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create index webhook_endpoint_workspace on webhook_endpoint (workspace_id, created_at)
    where deleted_at is null`,
  `create index webhook_endpoint_off on webhook_endpoint (id)
    where not enabled or deleted_at is not null`,

  `create table webhook_event (
    id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    type text not null,
    payload text,
    dedupe_key text,
    created_at timestamptz not null default now())`,
  `create index webhook_event_listing on webhook_event (workspace_id, created_at desc, id desc)`,
  `create unique index webhook_event_once on webhook_event (workspace_id, dedupe_key)
    where dedupe_key is not null`,
  `create index webhook_event_age on webhook_event (created_at)`,

  `create table webhook_delivery (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    webhook_endpoint_id uuid not null references webhook_endpoint on delete cascade,
    webhook_event_id text not null references webhook_event on delete cascade,
    event_type text not null,
    status text not null default 'pending' check (status in
      ('pending', 'delivering', 'delivered', 'waiting', 'exhausted', 'canceled')),
    attempts integer not null default 0,
    round integer not null default 1,
    round_attempts integer not null default 0,
    own_outages integer not null default 0,
    next_attempt_at timestamptz default now(),
    claim_token text,
    last_status_code integer,
    error text,
    delivered_at timestamptz,
    finished_at timestamptz,
    created_at timestamptz not null default now(),
    unique (webhook_event_id, webhook_endpoint_id),
    check ((next_attempt_at is null) = (status in ('delivered', 'exhausted', 'canceled'))))
    with (fillfactor = 80)`,
  // Only unfinished deliveries have a next attempt. The status is in no index, so that a claim is a HOT update.
  `create index webhook_delivery_due on webhook_delivery (webhook_endpoint_id, next_attempt_at, id)
    where next_attempt_at is not null`,
  `create index webhook_delivery_listing on webhook_delivery (workspace_id, id desc)`,
  `create index webhook_delivery_endpoint on webhook_delivery (webhook_endpoint_id, id desc)`,

  `create table webhook_attempt (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    webhook_delivery_id bigint not null references webhook_delivery on delete cascade,
    round integer not null,
    outcome text not null check (outcome in ('delivered', 'failed', 'interrupted')),
    counts boolean not null,
    status_code integer,
    error_class text,
    error text,
    answer text,
    duration_ms integer not null,
    started_at timestamptz not null)`,
  `create index webhook_attempt_delivery on webhook_attempt (webhook_delivery_id, id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
