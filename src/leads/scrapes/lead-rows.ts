import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { cleanText } from '#src/documents/clean-text.ts';
import type { LeadId, LeadScrapeId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { TECHNIQUES } from '#src/leads/extract/contact-card.ts';
import type { ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

const evidence = z.array(z.object({ url: z.string(), technique: z.enum(TECHNIQUES) }));
const evidenced = z.object({ value: z.string(), evidence });
const draft = z.object({
  kind: z.enum(['person', 'organization']),
  name: evidenced.nullable(),
  title: evidenced.nullable(),
  company: evidenced.nullable(),
  emails: z.array(evidenced),
  phones: z.array(evidenced),
  linkedin: z.array(evidenced),
  twitter: z.array(evidenced),
  website: evidenced.nullable(),
  description: evidenced.nullable(),
  address: z
    .object({
      street: z.string(),
      postalCode: z.string(),
      locality: z.string(),
      region: z.string(),
      country: z.string(),
      evidence,
    })
    .nullable(),
  siteDomain: z.string(),
  // Rows of older versions lack the following fields.
  otherSocials: z
    .object({ facebook: z.array(evidenced), instagram: z.array(evidenced) })
    .default({ facebook: [], instagram: [] }),
  emailPattern: z
    .object({ pattern: z.string(), examples: z.array(z.string()) })
    .nullable()
    .default(null),
  foundOn: z.string().nullable().default(null),
  confidence: z.number(),
  emailStatus: z.enum(['mx', 'no_mx', 'unknown']).nullable(),
});

/** A stored lead; `details` holds all of it with its evidence. */
export interface StoredLead {
  id: LeadId;
  site_ordinal: number;
  lead: ScoredLead;
}

/** In order of rank. */
export async function readLeads(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  scrapeId: LeadScrapeId,
): Promise<StoredLead[]> {
  const rows = await db
    .selectFrom('lead')
    .select(['id', 'site_ordinal', 'details'])
    .where('workspace_id', '=', workspaceId)
    .where('lead_scrape_id', '=', scrapeId)
    .orderBy('rank')
    .orderBy('site_ordinal')
    .orderBy('id')
    .execute();
  return rows.flatMap(({ details, ...row }) => {
    const lead = draft.safeParse(details);
    return lead.success ? [{ ...row, lead: lead.data }] : [];
  });
}

/** A stored lead, or a new one that gets its id now. */
export type LeadToStore = Omit<StoredLead, 'id'> & { id?: LeadId };

/** Replaces all leads of the scrape, or of one of its sites. The order of the leads becomes their rank. */
export async function replaceLeads(
  trx: DatabaseTransaction,
  { workspaceId, scrapeId }: { workspaceId: WorkspaceId; scrapeId: LeadScrapeId },
  leads: readonly LeadToStore[],
  siteOrdinal: number | null = null,
): Promise<void> {
  await sql`
    delete from lead where lead_scrape_id = ${scrapeId} and workspace_id = ${workspaceId}
      and (${siteOrdinal}::int is null or site_ordinal = ${siteOrdinal}::int)`.execute(trx);
  if (leads.length === 0) return;
  await trx
    .insertInto('lead')
    .values(
      leads.map(({ id, site_ordinal, lead }, rank) => ({
        id: id ?? (randomUUID() as LeadId), // a new row's id is branded where it is made
        workspace_id: workspaceId,
        lead_scrape_id: scrapeId,
        site_ordinal,
        rank,
        ...columnsOf(lead),
      })),
    )
    .execute();
}

/** Pages may contain characters that the database rejects: one of them must not cost the scrape all its leads. */
function columnsOf(written: ScoredLead) {
  const details = JSON.stringify(written, (_key, value: unknown) =>
    typeof value === 'string' ? cleanText(value) : value,
  );
  const lead = draft.parse(JSON.parse(details));
  const emails = lead.emails.map(({ value }) => value.toLowerCase());
  const examples = (lead.emailPattern?.examples ?? []).map((email) => email.toLowerCase());
  const hosts = [
    lead.siteDomain,
    ...(lead.website ? [lead.website.value] : []),
    ...emails.map((email) => email.slice(email.lastIndexOf('@') + 1)),
  ];
  const domains = hosts.flatMap((host) => registrableDomain(host) ?? []);
  return {
    kind: lead.kind,
    name: lead.name?.value ?? '',
    title: lead.title?.value ?? '',
    company: lead.company?.value ?? '',
    email: lead.emails[0]?.value ?? '',
    phone: lead.phones[0]?.value ?? '',
    website: lead.website?.value ?? '',
    linkedin: lead.linkedin[0]?.value ?? '',
    twitter: lead.twitter[0]?.value ?? '',
    confidence_score: lead.confidence,
    email_status: lead.emailStatus,
    emails: [...new Set([...emails, ...examples])],
    domains: [...new Set(domains)],
    details,
  };
}
