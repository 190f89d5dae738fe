import type { LeadScrapeId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { withoutDoNotContact } from './honour-do-not-contact.ts';
import { readLeads, type StoredLead } from './lead-rows.ts';

/** The leads of a scrape without those that entered the do-not-contact list after they were found. */
export async function readLeadsToShow(
  db: Database,
  workspaceId: WorkspaceId,
  scrapeId: LeadScrapeId,
): Promise<StoredLead[]> {
  const stored = await readLeads(db, workspaceId, scrapeId);
  const leads = stored.map(({ lead, ...row }) => ({ ...lead, row }));
  const allowed = await withoutDoNotContact(db, workspaceId, leads);
  return allowed.map(({ row, ...lead }) => ({ ...row, lead }));
}
