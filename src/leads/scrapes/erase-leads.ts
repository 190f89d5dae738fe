import { sql } from 'kysely';
import { z } from 'zod';
import type { LeadId, WorkspaceId } from '#src/ids.ts';
import { hostOf, isWithin, type ErasureSubjects } from '#src/outreach/erasure-subjects.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/**
 * Deletes the leads of a workspace that have one of the addresses, or belong to one of the domains. An organisation
 * with other addresses only loses the named one.
 * @returns leads deleted or changed
 */
export async function eraseLeads(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  whom: ErasureSubjects,
): Promise<number> {
  const found = await findLeads(trx, workspaceId, whom);
  const named = new Set(whom.emails);
  const doomed: LeadId[] = [];
  for (const lead of found) {
    const kept = lead.emails.filter((email) => !named.has(email));
    const details = kept.length > 0 && !lead.is_within ? withoutEmails(lead, named) : null;
    if (details === null) doomed.push(lead.id);
    else {
      // The address status belongs to the old first address, not to the new one.
      const isSame = details.emails[0]?.value === lead.email;
      await sql`
        update lead set emails = ${kept}::text[], email = ${details.emails[0]?.value ?? ''},
          email_status = case when ${isSame} then email_status end,
          details = ${JSON.stringify(isSame ? details : { ...details, emailStatus: null })}
        where id = ${lead.id} and workspace_id = ${workspaceId}`.execute(trx);
    }
  }
  await sql`delete from lead
    where id = any(${doomed}::uuid[]) and workspace_id = ${workspaceId}`.execute(trx);
  return found.length;
}

interface FoundLead {
  id: LeadId;
  kind: 'person' | 'organization';
  email: string;
  emails: string[];
  details: unknown;
  /** It belongs to one of the domains, and does not merely have one of the addresses. */
  is_within: boolean;
}

/**
 * Locks leads in one order, their scrapes first, to prevent deadlocks with a worker that replaces the leads of its
 * scrape, or with another erasure.
 */
async function findLeads(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { emails, domains }: ErasureSubjects,
): Promise<FoundLead[]> {
  await sql`select id from lead_scrape
    where workspace_id = ${workspaceId} order by id for no key update`.execute(trx);
  const { rows } = await sql<FoundLead>`
    select id, kind, email, emails, details, is_within
    from lead join lateral (select
        exists (select 1 from unnest(emails) as address
          where ${isWithin(hostOf(sql`address`), domains)})
        or exists (select 1 from unnest(domains) as domain where ${isWithin(sql`domain`, domains)})
        or ${isWithin(sql`lower(substring(website from '^[A-Za-z]+://([^/?#:]+)'))`, domains)}
      as is_within) as place on true
    where workspace_id = ${workspaceId} and lead_scrape_id in (
        select id from lead_scrape where workspace_id = ${workspaceId})
      and (emails && ${[...emails]}::text[] or is_within)
    order by id for update of lead`.execute(trx);
  return rows;
}

const detailsSchema = z.looseObject({ emails: z.array(z.looseObject({ value: z.string() })) });

/** Null when the whole lead has to be deleted: it is a person, or an address occurs where it cannot be separated. */
function withoutEmails(
  { kind, details }: FoundLead,
  named: ReadonlySet<string>,
): z.output<typeof detailsSchema> | null {
  const parsed = detailsSchema.safeParse(details);
  if (kind === 'person' || !parsed.success) return null;
  const isNamed = ({ value }: { value: string }): boolean => named.has(value.toLowerCase());
  const gone = parsed.data.emails.filter(isNamed).map(({ value }) => value.toLowerCase());
  const left = { ...parsed.data, emails: parsed.data.emails.filter((one) => !isNamed(one)) };
  const text = JSON.stringify({ ...left, emails: [] }).toLowerCase();
  return gone.some((email) => text.includes(email)) ? null : left;
}
