import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { LeadScrapeId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';
import { emitEvents, sendDeliveries, type ToDeliver } from '#src/webhooks/emit-event.ts';
import { chooseLeads } from './choose-leads.ts';
import { type ClaimedScrape, holdScrape } from './claim-scrape.ts';
import { withoutDoNotContact } from './honour-do-not-contact.ts';
import { readLeads, replaceLeads, type StoredLead } from './lead-rows.ts';
import { mergeDrafts } from '#src/leads/merge/merge-leads.ts';
import { scoreDrafts } from './score-drafts.ts';

type FinishServices = Pick<
  LeadServices,
  'clock' | 'db' | 'dns' | 'log' | 'pointsAwarder' | 'producer'
>;

/** Leads may be erased in between, but hardly this often. */
const MAX_MERGES = 5;

/** Merges the leads of the sites, chooses the result and ends the scrape. */
export async function completeScrape(
  services: FinishServices,
  scrape: ClaimedScrape,
  signal: AbortSignal,
): Promise<void> {
  const { db, pointsAwarder } = services;
  const { id: scrapeId, workspace_id: workspaceId, user_id: userId } = scrape;
  for (let merges = 0; merges < MAX_MERGES; merges += 1) {
    const found = await readLeads(db, workspaceId, scrapeId);
    const toDeliver = await saveResult(services, scrape, found, signal);
    if (toDeliver === 'changed') continue;
    if (toDeliver === 'lost') return;
    await sendDeliveries(services, toDeliver);
    if (userId !== null) {
      pointsAwarder.submit({ workspaceId, userId, action: 'scrape', sourceId: scrapeId });
    }
    return;
  }
  throw new Error('The leads of this scrape changed again and again while they were merged.');
}

async function saveResult(
  { db, dns, clock }: FinishServices,
  scrape: ClaimedScrape,
  found: readonly StoredLead[],
  signal: AbortSignal,
): Promise<ToDeliver | 'changed' | 'lost'> {
  const { id: scrapeId, workspace_id: workspaceId } = scrape;
  const drafts = mergeDrafts(found.map(({ lead }) => lead));
  const scored = await scoreDrafts(dns, drafts, { wants: scrape.enrichment, signal });
  return db.transaction().execute(async (trx) => {
    if (!(await holdScrape(trx, scrape))) return 'lost';
    // Leads erased since then must not come back.
    const stored = await readLeads(trx, workspaceId, scrapeId);
    if (!isDeepStrictEqual(stored, found)) return 'changed';
    const allowed = await withoutDoNotContact(trx, workspaceId, scored);
    const leads = chooseLeads(allowed, stored, scrape.max_results);
    await replaceLeads(trx, { workspaceId, scrapeId }, leads);
    return endScrape(trx, scrape, { status: 'completed', error: null, now: clock() });
  });
}

/** Ends the scrape without a result. @param error a sentence for its owner */
export async function failScrape(
  services: FinishServices,
  scrape: ClaimedScrape,
  error: string,
): Promise<void> {
  const { db, clock } = services;
  const toDeliver = await db.transaction().execute(async (trx) => {
    if (!(await holdScrape(trx, scrape))) return null;
    return endScrape(trx, scrape, { status: 'failed', error, now: clock() });
  });
  if (toDeliver !== null) await sendDeliveries(services, toDeliver);
}

interface ScrapeEnd {
  status: 'completed' | 'failed' | 'canceled';
  error: string | null;
  now: Date;
}

/** Requires a lock on the scrape's row. */
export async function endScrape(
  trx: DatabaseTransaction,
  { id, workspace_id: workspaceId }: { id: LeadScrapeId; workspace_id: WorkspaceId },
  { status, error, now }: ScrapeEnd,
): Promise<ToDeliver> {
  const { rows } = await sql<{ leads_found: number; processing_time_ms: number }>`
    update lead_scrape set status = ${status}, error = ${error},
      leads_found = (select count(*)::int from lead where lead_scrape_id = ${id}), finished_at = now(), claim_token = null, claimed_until = null, next_attempt_at = null,
      processing_time_ms = least(2147483647, ceil(extract(epoch from now() - created_at) * 1000))::int
    where id = ${id} and workspace_id = ${workspaceId}
    returning leads_found, processing_time_ms`.execute(trx);
  return emitEvents(trx, [
    {
      type: 'lead_scrape.completed',
      workspaceId,
      at: now,
      data: {
        scrape_id: id,
        status,
        total_results: rows[0]?.leads_found ?? 0,
        processing_time_ms: rows[0]?.processing_time_ms ?? 0,
      },
    },
  ]);
}
