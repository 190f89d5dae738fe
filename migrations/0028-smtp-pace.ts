import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Not per workspace: a provider counts what its user sends, whichever workspaces have the account. The key is a hash.
  sql`create table smtp_pace (
    pace_key text primary key,
    next_send_at timestamptz not null,
    line_end_at timestamptz not null,
    strikes integer not null default 0 check (strikes >= 0))`,
  sql`create index smtp_pace_age on smtp_pace (next_send_at)`,
  sql`create table smtp_pace_hour (
    pace_key text not null,
    hour timestamptz not null,
    sent integer not null check (sent >= 0),
    primary key (pace_key, hour))`,
  sql`create index smtp_pace_hour_age on smtp_pace_hour (hour)`,
  // The message waits for a limit of its provider: since when, and until its turn, if it was given one.
  sql`alter table email_message add column limited_since timestamptz, add column turn_at timestamptz`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
