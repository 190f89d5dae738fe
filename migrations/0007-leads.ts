import { type Kysely, sql } from 'kysely';

/** Separate statements, which PGlite and Postgres both run in one transaction. */
const STATEMENTS = [
  `create table lead_scrape (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid references user_account on delete set null,
    mode text not null check (mode in ('keyword_search', 'scrape_url')),
    query text not null,
    max_results integer not null check (max_results between 1 and 50),
    enrichment text[] not null,
    share_key text not null,
    status text not null default 'queued' check (status in
      ('queued', 'running', 'completed', 'failed', 'canceled')),
    provider text,
    searched boolean not null default false,
    pages_done integer not null default 0,
    leads_found integer not null default 0,
    error text,
    outages integer not null default 0,
    claim_token text,
    claimed_until timestamptz,
    next_attempt_at timestamptz,
    queued_at timestamptz not null default now(),
    request_id text,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    processing_time_ms integer,
    check ((finished_at is null) = (status in ('queued', 'running'))))`,
  `create index lead_scrape_listing on lead_scrape (workspace_id, created_at desc, id desc)`,
  `create index lead_scrape_shared on lead_scrape (workspace_id, share_key, created_at desc)`,
  `create index lead_scrape_unfinished on lead_scrape (queued_at) where finished_at is null`,
  `create index lead_scrape_age on lead_scrape (finished_at)`,

  `create table lead_scrape_site (
    lead_scrape_id uuid not null references lead_scrape on delete cascade,
    ordinal integer not null,
    workspace_id uuid not null references workspace on delete cascade,
    url text not null,
    domain text not null,
    document_ids bigint[] not null default '{}',
    status text not null default 'pending' check (status in ('pending', 'done', 'failed')),
    starts integer not null default 0,
    pages integer not null default 0,
    error text,
    primary key (lead_scrape_id, ordinal))`,

  `create table lead (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    lead_scrape_id uuid not null references lead_scrape on delete cascade,
    site_ordinal integer not null,
    kind text not null check (kind in ('person', 'organization')),
    name text not null default '',
    title text not null default '',
    company text not null default '',
    email text not null default '',
    phone text not null default '',
    website text not null default '',
    linkedin text not null default '',
    twitter text not null default '',
    confidence_score real not null,
    email_status text,
    emails text[] not null default '{}',
    domains text[] not null default '{}',
    details json not null,
    rank integer not null,
    created_at timestamptz not null default now())`,
  `create index lead_scrape_rank on lead (lead_scrape_id, rank)`,
  `create index lead_emails on lead using gin (emails)`,
  `create index lead_domains on lead using gin (domains)`,

  // Not per workspace: several customers together may not request a site faster.
  `create table site_pace (
    domain text primary key,
    next_request_at timestamptz not null)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
