import type { WorkspaceId } from '#src/ids.ts';
import { blockedDomains, blockedEmails } from '#src/outreach/do-not-contact.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/**
 * Removes whoever must not be contacted: a person with a listed address entirely, an organisation's listed address
 * only, and everybody at a listed domain.
 */
export async function withoutDoNotContact<Draft extends LeadDraft>(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  drafts: readonly Draft[],
): Promise<Draft[]> {
  const emails = drafts.flatMap((draft) => draft.emails.map(({ value }) => value));
  const domains = [...new Set(drafts.flatMap(domainsOf))];
  const [listed, listedDomains] = [
    await blockedEmails(db, workspaceId, [...new Set(emails)]),
    await blockedDomains(db, workspaceId, domains),
  ];
  return drafts.flatMap((draft) => {
    if (domainsOf(draft).some((domain) => listedDomains.has(domain))) return [];
    const kept = draft.emails.filter(({ value }) => !listed.has(value));
    if (kept.length === draft.emails.length) return [draft];
    return draft.kind === 'person' ? [] : [{ ...draft, emails: kept }];
  });
}

function domainsOf({ siteDomain, website }: LeadDraft): string[] {
  const ownDomain = website && registrableDomain(website.value);
  return ownDomain ? [siteDomain, ownDomain] : [siteDomain];
}
