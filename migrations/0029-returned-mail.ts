import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `alter table email_message drop constraint email_message_status_check`,
  `alter table email_message add constraint email_message_status_check check (status in
    ('queued', 'sending', 'sent', 'failed', 'unknown', 'bounced', 'complained'))`,
  `alter table do_not_contact drop constraint do_not_contact_reason_check`,
  `alter table do_not_contact add constraint do_not_contact_reason_check check (reason in
    ('manual', 'erased', 'unsubscribed', 'bounced', 'complained'))`,

  `create table email_return (
    email_message_id uuid primary key references email_message on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    kind text not null check (kind in ('bounced', 'complained')),
    cause text not null check (cause in ('no_such_address', 'mailbox_disabled', 'mailbox_full',
      'too_large', 'refused', 'undelivered', 'complaint')),
    status_code text,
    is_listed boolean not null,
    reported_at timestamptz not null default now())`,
  `create index email_return_workspace on email_return (workspace_id)`,

  `create table bounce_mailbox (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    email_account_id uuid references email_account on delete cascade,
    kind text not null check (kind in ('imap', 'pop3', 'webhook')),
    host text,
    port integer,
    use_tls boolean,
    username text,
    password text,
    folder text,
    token_hash text unique,
    cursor json,
    claim_token text,
    claimed_until timestamptz,
    next_poll_at timestamptz,
    queued_at timestamptz not null default now(),
    failures integer not null default 0,
    error_class text,
    error text,
    last_polled_at timestamptz,
    returned_total integer not null default 0,
    last_returned_at timestamptz,
    created_at timestamptz not null default now(),
    check (case when kind = 'webhook' then token_hash is not null and next_poll_at is null
      else host is not null and port is not null and use_tls is not null and username is not null
        and password is not null and next_poll_at is not null end))`,
  `create index bounce_mailbox_workspace on bounce_mailbox (workspace_id, created_at, id)`,
  `create index bounce_mailbox_account on bounce_mailbox (email_account_id)`,
  `create index bounce_mailbox_due on bounce_mailbox (next_poll_at)`,
  // The keys in use are looked up by this expression; see src/encryption/sealed-columns.ts.
  `create index bounce_mailbox_password_key on bounce_mailbox (left(password, 11))
    where password like 'v1.%'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
