import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  // The tier that applies without a subscription: the default plan, or one that an operator has set.
  `alter table workspace
    add column base_plan_tier text,
    add column plan_since timestamptz not null default now()`,
  `update workspace set base_plan_tier = plan_tier, plan_since = created_at`,
  `alter table workspace alter column base_plan_tier set not null`,
  `alter table user_account
    add column time_zone text not null default 'UTC',
    add column time_zone_changed_at timestamptz`,
  // Removing a member deletes chats, and each deleted message looks up its answers.
  `create index if not exists chat_message_parent on chat_message (parent_id)`,

  `create table stripe_event (
    id text primary key,
    type text not null,
    workspace_id uuid references workspace on delete set null,
    created_at timestamptz not null,
    processed_at timestamptz not null default now())`,
  `create index stripe_event_age on stripe_event (processed_at)`,

  // The latest data from Stripe about a customer, checkout or subscription, in whichever order it arrived.
  `create table stripe_customer (
    id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    email text,
    created_at timestamptz not null default now())`,
  `create index stripe_customer_workspace on stripe_customer (workspace_id)`,

  `create table stripe_subscription (
    id text primary key,
    workspace_id uuid references workspace on delete cascade,
    customer_id text,
    status text,
    plan_tier text,
    amount_monthly integer,
    currency text,
    current_period_end timestamptz,
    cancel_at_period_end boolean not null default false,
    past_due_since timestamptz,
    cancellation_reason text,
    ended_at timestamptz,
    last_event jsonb,
    updated_at timestamptz not null default now(),
    created_at timestamptz not null default now())`,
  `create index stripe_subscription_workspace on stripe_subscription (workspace_id)`,
  `create index stripe_subscription_customer on stripe_subscription (customer_id)`,

  `create table stripe_checkout (
    id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    customer_id text,
    customer_email text,
    subscription_id text,
    plan_tier text,
    amount_total bigint,
    currency text,
    paid_at timestamptz,
    created_at timestamptz not null default now())`,
  `create index stripe_checkout_subscription on stripe_checkout (subscription_id)`,
  `create index stripe_checkout_workspace on stripe_checkout (workspace_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
