import { sql } from 'kysely';
import { inBatches } from '#src/platform/in-batches.ts';
import type { LeadServices } from '#src/leads/lead-services.ts';

/** A scrape may have dozens of leads with their evidence. */
const BATCH = 200;

/** Deletes scrapes past retention with their leads, and the state of sites that are no longer requested. */
export async function sweepLeads(
  { db, config }: Pick<LeadServices, 'db' | 'config'>,
  signal: AbortSignal,
): Promise<number> {
  const swept = await inBatches(BATCH, signal, () =>
    sql`
      delete from lead_scrape where id in (
        select id from lead_scrape
        where finished_at < now() - make_interval(days => ${config.LEAD_RETENTION_DAYS})
        order by finished_at limit ${BATCH} for update skip locked)
      returning id`.execute(db),
  );
  await sql`delete from site_pace where next_request_at < now() - interval '1 day'`.execute(db);
  return swept;
}
