import type { WorkspaceId } from '#src/ids.ts';
import { blockedDomains, blockedEmails } from '#src/outreach/do-not-contact.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import type { LeadDraft } from '#src/leads/merge/lead-draft.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/**
 * Removes listed contacts: a person with a listed address entirely, an organisation's listed address
 * only, and everybody at a listed domain.
 */
export async function withoutDoNotContact<Draft extends LeadDraft>(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  drafts: readonly Draft[],
): Promise<Draft[]> {
  const emails = drafts.flatMap((draft) => [
    ...draft.emails.map(({ value }) => value),
    ...(draft.emailPattern?.examples ?? []),
  ]);
  const domains = [...new Set(drafts.flatMap(domainsOf))];
  const [listed, listedDomains] = [
    await blockedEmails(db, workspaceId, [...new Set(emails)]),
    await blockedDomains(db, workspaceId, domains),
  ];
  return drafts.flatMap((draft) => {
    if (domainsOf(draft).some((domain) => listedDomains.has(domain))) return [];
    const kept = draft.emails.filter(({ value }) => !listed.has(value));
    if (draft.kind === 'person' && kept.length < draft.emails.length) return [];
    return [{ ...draft, emails: kept, emailPattern: patternWithout(draft, listed) }];
  });
}

/** One example may be coincidence, so a form needs two. */
function patternWithout(
  { emailPattern }: LeadDraft,
  listed: ReadonlySet<string>,
): LeadDraft['emailPattern'] {
  if (emailPattern === null) return null;
  const examples = emailPattern.examples.filter((email) => !listed.has(email));
  return examples.length < 2 ? null : { ...emailPattern, examples };
}

function domainsOf({ siteDomain, website }: LeadDraft): string[] {
  const ownDomain = website && registrableDomain(website.value);
  return ownDomain ? [siteDomain, ownDomain] : [siteDomain];
}
