import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  // Totals of a user account; always the sum of its ledger.
  `create table points_account (
    user_id uuid primary key references user_account on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    points integer not null default 0,
    current_streak integer not null default 0,
    longest_streak integer not null default 0,
    last_day date,
    last_day_impact integer not null default 0,
    days_in_row integer not null default 0,
    lucky_finds integer not null default 0,
    action_counts json not null default '{}',
    updated_at timestamptz not null default now())`,
  `create index points_account_workspace on points_account (workspace_id)`,

  // The ledger: one row per award. source_id identifies the real action, or is the client's Idempotency-Key.
  `create table points_award (
    id bigint generated always as identity primary key,
    user_id uuid not null references user_account on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    action_type text not null,
    points integer not null check (points > 0),
    streak_impact integer not null,
    day date not null,
    source text not null check (source in ('client', 'service')),
    source_id text,
    context json,
    is_lucky_find boolean not null default false,
    achievement text,
    points_total integer not null,
    streak_count integer not null,
    created_at timestamptz not null default now())`,
  `create unique index points_award_once on points_award (user_id, source, source_id)
    where source_id is not null`,
  `create index points_award_day on points_award (user_id, day, action_type)`,

  `create table points_achievement (
    user_id uuid not null references user_account on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    achievement text not null,
    points_award_id bigint not null references points_award on delete cascade,
    unlocked_at timestamptz not null default now(),
    primary key (user_id, achievement))`,
  `create index points_achievement_award on points_achievement (points_award_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
