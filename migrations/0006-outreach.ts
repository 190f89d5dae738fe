import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `create table do_not_contact (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspace on delete cascade,
    kind text not null check (kind in ('email', 'domain')),
    value text not null,
    reason text not null check (reason in ('manual', 'erased', 'unsubscribed')),
    note text not null default '',
    created_at timestamptz not null default now(),
    unique (workspace_id, kind, value))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
