import { sql } from 'kysely';
import { z } from 'zod';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
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
    const details = lead.is_within ? null : withoutEmails(lead, named);
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
 * Locks the workspace, so that no other erasure runs and no scrape begins, then its scrapes, whose workers would
 * otherwise replace the leads meanwhile.
 */
async function findLeads(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { emails, domains }: ErasureSubjects,
): Promise<FoundLead[]> {
  await lockWorkspace(trx, workspaceId);
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
      and (emails && ${[...emails]}::text[] or is_within)`.execute(trx);
  return rows;
}

const detailsSchema = z.looseObject({
  emails: z.array(z.looseObject({ value: z.string() })),
  emailPattern: z.looseObject({ examples: z.array(z.string()) }).nullish(),
});

/**
 * Null when the whole lead must be deleted: it is a person, its last address is erased, or one occurs where it cannot
 * be separated. Addresses that are only examples of a form are removed from the examples; with one example left, the
 * form is dropped.
 */
function withoutEmails(
  { kind, details }: FoundLead,
  named: ReadonlySet<string>,
): z.output<typeof detailsSchema> | null {
  const parsed = detailsSchema.safeParse(details);
  if (kind === 'person' || !parsed.success) return null;
  const isNamed = ({ value }: { value: string }): boolean => named.has(value.toLowerCase());
  const emails = parsed.data.emails.filter((one) => !isNamed(one));
  if (emails.length === 0 && parsed.data.emails.length > 0) return null;
  const examples = parsed.data.emailPattern?.examples.filter((value) => !isNamed({ value })) ?? [];
  const pattern = parsed.data.emailPattern ?? null;
  const emailPattern = pattern && examples.length > 1 ? { ...pattern, examples } : null;
  const left = { ...parsed.data, emails, emailPattern };
  const text = JSON.stringify({ ...left, emails: [], emailPattern: null }).toLowerCase();
  return [...named].some((email) => text.includes(email)) ? null : left;
}
