import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { leadScrape } from '#queues/lead-scrape.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { LeadScrapeId, UserId, WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { type ScrapeOrder, shareKeyOf } from './scrape-request.ts';

/** Identical requests share a result for this long. */
const SHARED_SECONDS = 3_600;
const MAX_UNFINISHED = 50;
const RETRY_SECONDS = 30;

/** The sender of the request, and how it was sent. */
export interface ScrapeAsker {
  workspaceId: WorkspaceId;
  userId: UserId;
  /** An existing result is not acceptable. */
  isFreshWanted: boolean;
  requestId: string;
}

/**
 * Finds a scrape that answers the order, or starts one. Once this resolves, its row exists whatever happens.
 * @throws Problem RATE_LIMIT_EXCEEDED when too many scrapes of the workspace are unfinished
 */
export async function startScrape(
  services: Pick<LeadServices, 'db' | 'producer' | 'log'>,
  order: ScrapeOrder,
  asker: ScrapeAsker,
): Promise<LeadScrapeId> {
  const { id, place } = await services.db
    .transaction()
    .execute((trx) => findOrInsert(trx, order, asker));
  if (place !== null) await sendScrape(services, id, { requestId: asker.requestId, place });
  return id;
}

async function findOrInsert(
  trx: DatabaseTransaction,
  order: ScrapeOrder,
  { workspaceId, userId, isFreshWanted, requestId }: ScrapeAsker,
): Promise<{ id: LeadScrapeId; place: number | null }> {
  const shareKey = shareKeyOf(order);
  // Requests of a workspace are serialized here, so that equal ones find each other and the count is exact.
  await lockWorkspace(trx, workspaceId);
  const shared = isFreshWanted ? null : await findShared(trx, workspaceId, shareKey);
  if (shared !== null) return { id: shared, place: null };
  const unfinished = await countUnfinished(trx, workspaceId);
  if (unfinished >= MAX_UNFINISHED) {
    throw new Problem(
      'RATE_LIMIT_EXCEEDED',
      `This workspace has ${unfinished} unfinished scrapes; the limit is ${MAX_UNFINISHED}. Wait for some to finish, or cancel them with POST /tools/lead-scraper/{scrape_id}/cancel.`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
  const id = randomUUID() as LeadScrapeId; // a new row's id is branded where it is made
  await trx
    .insertInto('lead_scrape')
    .values({
      id,
      workspace_id: workspaceId,
      user_id: userId,
      mode: order.mode,
      query: order.query,
      urls: order.urls,
      max_results: order.maxResults,
      enrichment: order.enrichment,
      share_key: shareKey,
      request_id: requestId,
    })
    .execute();
  return { id, place: unfinished + 1 };
}

/** An empty result from the index is not shared: pages may have been indexed since, and a new search costs nothing. */
async function findShared(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  shareKey: string,
): Promise<LeadScrapeId | null> {
  const { rows } = await sql<{ id: LeadScrapeId }>`
    select id from lead_scrape
    where workspace_id = ${workspaceId} and share_key = ${shareKey}
      and status in ('queued', 'running', 'completed')
      and not (status = 'completed' and leads_found = 0 and provider is not distinct from 'index')
      and created_at > now() - make_interval(secs => ${SHARED_SECONDS})
    order by created_at desc limit 1`.execute(trx);
  return rows[0]?.id ?? null;
}

async function countUnfinished(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from lead_scrape
    where workspace_id = ${workspaceId} and finished_at is null`.execute(trx);
  return rows[0]?.count ?? 0;
}

/**
 * Tells the workers to look at a scrape. `reconcile` replaces a lost job.
 * @param options `place` among the unfinished scrapes of its workspace: the first of one workspace goes before the
 * second of another, however many that one has
 */
export async function sendScrape(
  { producer, log }: Pick<LeadServices, 'producer' | 'log'>,
  scrapeId: LeadScrapeId,
  options: { requestId: string | null; place: number; delayMs?: number },
): Promise<void> {
  const { place, ...rest } = options;
  try {
    await producer.enqueue(leadScrape, { scrapeId }, { ...rest, priority: place });
  } catch (error) {
    log.warn({ error: String(error), scrapeId }, 'lead-scrape not sent: reconcile will send it');
  }
}
