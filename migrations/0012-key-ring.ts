import { type Kysely, sql } from 'kysely';

/** The sealed columns at the time of this migration; src/encryption/sealed-columns.ts has the current list. */
const SEALED = [
  ['credential', 'secret'],
  ['webhook_endpoint', 'secret'],
  ['webhook_endpoint', 'previous_secret'],
  ['email_account', 'smtp_password'],
  ['custom_tool', 'sealed_headers'],
  ['mcp_server', 'sealed_headers'],
  ['unsubscribe_key', 'sealed_key'],
] as const;

const STATEMENTS = [
  `create table encryption_key (
    id text primary key,
    check_value text,
    lost_at timestamptz,
    created_at timestamptz not null default now())`,

  `create table unsubscribe_key (
    id text primary key,
    sealed_key text not null,
    makes_links boolean not null,
    created_at timestamptz not null default now())`,

  // Each start checks which keys are in use. Only a like pattern and left() with these exact constants use the indexes.
  ...SEALED.map(
    ([table, column]) => `create index ${table}_${column}_key on ${table} (left(${column}, 11))
      where ${column} like 'v1.%'`,
  ),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
