import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DocumentId, LeadScrapeId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { Enrichment, ScrapeMode } from '#src/tables/leads.ts';

/** A claim that is not renewed for this long is considered a dead worker's. */
const LEASE_SECONDS = 20;
/** Per workspace: its scrapes must not take all worker places. When one ends, it sends the next ones. */
const MAX_RUNNING = 4;

/** A scrape that only this worker holds. */
export interface ClaimedScrape {
  id: LeadScrapeId;
  token: string;
  workspace_id: WorkspaceId;
  user_id: UserId | null;
  mode: ScrapeMode;
  query: string;
  urls: string[] | null;
  max_results: number;
  enrichment: Enrichment[];
  searched: boolean;
  outages: number;
  request_id: string | null;
}

/**
 * @returns null when there is nothing to do: finished, not due yet, held by another worker, or its workspace has
 * enough scrapes running
 */
export async function claimScrape(db: Database, id: LeadScrapeId): Promise<ClaimedScrape | null> {
  const token = randomUUID();
  const { rows } = await sql<Omit<ClaimedScrape, 'token'>>`
    update lead_scrape set status = 'running', claim_token = ${token},
      outages = outages + case when claimed_until is null then 0 else 1 end,
      claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      started_at = coalesce(started_at, now()), next_attempt_at = null,
      pages_done = (select coalesce(sum(pages), 0)::int from lead_scrape_site s
        where s.lead_scrape_id = lead_scrape.id)
    where id = ${id} and finished_at is null
      and (claimed_until is null or claimed_until < now())
      and (next_attempt_at is null or next_attempt_at <= now() + interval '1 second')
      and (select count(*) from lead_scrape other
        where other.workspace_id = lead_scrape.workspace_id and other.finished_at is null
          and other.claimed_until > now()) < ${MAX_RUNNING}
    returning id, workspace_id, user_id, mode, query, urls, max_results, enrichment, searched, outages,
      request_id`.execute(db);
  const [row] = rows;
  return row ? { ...row, token } : null;
}

/** @returns false when the scrape was canceled, deleted or taken over */
export async function renewScrape(
  db: Database,
  { id, token }: Pick<ClaimedScrape, 'id' | 'token'>,
): Promise<boolean> {
  const { rows } = await sql`
    update lead_scrape set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = ${id} and claim_token = ${token} and finished_at is null returning id`.execute(db);
  return rows.length === 1;
}

/** Lets another worker continue, at once or after a delay. `isOutage`: this attempt achieved nothing. */
export async function releaseScrape(
  db: Database,
  { id, token }: Pick<ClaimedScrape, 'id' | 'token'>,
  { delayMs = 0, isOutage = false }: { delayMs?: number; isOutage?: boolean } = {},
): Promise<void> {
  await sql`
    update lead_scrape set claim_token = null, claimed_until = null, queued_at = now(),
      outages = outages + ${isOutage ? 1 : 0},
      next_attempt_at = case when ${delayMs}::int > 0
        then now() + make_interval(secs => ${delayMs / 1_000}::float8) end
    where id = ${id} and claim_token = ${token} and finished_at is null`.execute(db);
}

/**
 * Locks the scrape for the writes of this transaction.
 * @returns false when this worker no longer holds it
 */
export async function holdScrape(
  trx: DatabaseTransaction,
  { id, token }: Pick<ClaimedScrape, 'id' | 'token'>,
): Promise<boolean> {
  const { rows } = await sql`
    select id from lead_scrape
    where id = ${id} and claim_token = ${token} and finished_at is null for no key update`.execute(
    trx,
  );
  return rows.length === 1;
}

/** The workspace's scrapes that may be next when another one ends; several may end at the same time. */
export async function nextScrapes(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ id: LeadScrapeId; request_id: string | null }[]> {
  const { rows } = await sql<{ id: LeadScrapeId; request_id: string | null }>`
    select id, request_id from lead_scrape
    where workspace_id = ${workspaceId} and finished_at is null and claimed_until is null
      and (next_attempt_at is null or next_attempt_at <= now())
    order by created_at, id limit ${MAX_RUNNING}`.execute(db);
  return rows;
}

/** A site still to be visited. */
export interface PendingSite {
  ordinal: number;
  url: string;
  domain: string;
  further_urls: string[];
  document_ids: DocumentId[];
  starts: number;
}

export async function pendingSites(
  db: Database,
  { id }: Pick<ClaimedScrape, 'id'>,
): Promise<PendingSite[]> {
  const { rows } = await sql<PendingSite>`
    select ordinal, url, domain, further_urls, to_json(document_ids) as document_ids, starts from lead_scrape_site
    where lead_scrape_id = ${id} and status = 'pending' order by ordinal`.execute(db);
  return rows;
}
