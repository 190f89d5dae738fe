import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `create table email_account (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    email text not null,
    from_name text not null default '',
    smtp_host text not null,
    smtp_port integer not null,
    smtp_user text not null,
    smtp_password text not null,
    settings_revision integer not null default 1,
    verified boolean not null default false,
    verified_at timestamptz,
    verification_token text not null,
    is_default boolean not null default false,
    daily_limit integer check (daily_limit > 0),
    daily_sent integer not null default 0 check (daily_sent >= 0),
    sent_on date,
    time_zone text not null default 'UTC',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create index email_account_workspace on email_account (workspace_id, created_at, id)`,
  // Prevents two defaults under concurrent writes.
  `create unique index email_account_default on email_account (workspace_id) where is_default`,

  `create table email_message (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    email_account_id uuid not null references email_account on delete cascade,
    user_id uuid references user_account on delete set null,
    kind text not null check (kind in ('verification', 'message')),
    status text not null default 'queued' check (status in
      ('queued', 'sending', 'sent', 'failed', 'unknown')),
    recipient text not null,
    subject text,
    text_body text,
    html_body text,
    reply_to text,
    idempotency_key text,
    request_hash text,
    settings_revision integer not null,
    counted_on date,
    attempts integer not null default 0,
    claim_token text,
    claimed_until timestamptz,
    data_started_at timestamptz,
    next_attempt_at timestamptz,
    queued_at timestamptz not null default now(),
    error_class text,
    error text,
    advice json not null default '[]',
    request_id text,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    check ((finished_at is null) = (status in ('queued', 'sending'))))`,
  `create index email_message_listing on email_message (workspace_id, created_at desc, id desc)`,
  `create index email_message_account on email_message (email_account_id, created_at desc)`,
  `create unique index email_message_once on email_message (email_account_id, idempotency_key)
    where idempotency_key is not null`,
  // An account has at most one verification in progress; concurrent callers share it.
  `create unique index email_message_verifying on email_message (email_account_id)
    where kind = 'verification' and finished_at is null`,
  `create index email_message_unfinished on email_message (queued_at) where finished_at is null`,
  `create index email_message_age on email_message (finished_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
