import { type Kysely, sql } from 'kysely';

/** Tables of people who sign in. better-auth reads and writes the first four: see src/accounts/people/better-auth.ts. */
const STATEMENTS = [
  sql`create table person (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    email text not null unique check (email = lower(email)),
    email_verified boolean not null default false,
    image text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  sql`create table person_login (
    id uuid primary key default gen_random_uuid(),
    person_id uuid not null references person (id) on delete cascade,
    provider_id text not null,
    account_id text not null,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamptz,
    refresh_token_expires_at timestamptz,
    scope text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (provider_id, account_id))`,
  sql`create index person_login_person on person_login (person_id)`,
  // A membership: the user account of a person in a workspace, and the role of that person's sessions there.
  sql`alter table user_account
    add column person_id uuid references person (id) on delete cascade,
    add column sign_in_role text check (sign_in_role in ('admin', 'member', 'ingest', 'read')),
    add constraint user_account_person check ((person_id is null) = (sign_in_role is null)),
    add constraint user_account_membership unique (workspace_id, person_id)`,
  sql`create index user_account_of_person on user_account (person_id) where person_id is not null`,
  // The last constraint ends the sessions of a member in a workspace together with the membership.
  sql`create table person_session (
    id uuid primary key default gen_random_uuid(),
    person_id uuid not null references person (id) on delete cascade,
    workspace_id uuid,
    token text not null unique,
    expires_at timestamptz not null,
    ip_address text,
    user_agent text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint person_session_membership foreign key (workspace_id, person_id)
      references user_account (workspace_id, person_id) on delete cascade)`,
  sql`create index person_session_person on person_session (person_id, workspace_id)`,
  sql`create index person_session_expiry on person_session (expires_at)`,
  sql`create table person_verification (
    id uuid primary key default gen_random_uuid(),
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  sql`create index person_verification_identifier on person_verification (identifier)`,
  // Without an address: an owner link, which anybody who has it may use once.
  sql`create table invitation (
    id uuid primary key,
    workspace_id uuid not null references workspace (id) on delete cascade,
    email text check (email = lower(email)),
    role text not null check (role in ('admin', 'member', 'ingest', 'read')),
    token_hash bytea not null unique,
    is_mailed boolean not null default false,
    invited_by uuid references user_account (id) on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    unique (workspace_id, email))`,
  sql`create index invitation_inviter on invitation (invited_by)`,
  sql`create index invitation_email on invitation (email)`,
  sql`create table sign_in_attempt (
    key text primary key,
    count integer not null,
    ends_at timestamptz not null)`,
  sql`create index sign_in_attempt_end on sign_in_attempt (ends_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
