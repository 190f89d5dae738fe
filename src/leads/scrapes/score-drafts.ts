import type { DnsClient } from '#src/platform/dns.ts';
import type { Enrichment } from '#src/tables/leads.ts';
import type { EmailStatus, LeadDraft, ScoredLead } from '#src/leads/merge/lead-draft.ts';
import { lookUpDomains } from './look-up-domains.ts';
import { scoreLead } from '#src/leads/merge/score.ts';

/** Scores drafts; if addresses were requested, with what is known about their domains. */
export async function scoreDrafts(
  dns: DnsClient,
  drafts: readonly LeadDraft[],
  { wants, signal }: { wants: readonly Enrichment[]; signal: AbortSignal },
): Promise<ScoredLead[]> {
  const statuses = wants.includes('email')
    ? await lookUpDomains(dns, drafts.flatMap(firstDomain), signal)
    : null;
  return drafts.map((draft) => {
    const [domain] = firstDomain(draft);
    return scored(draft, domain === undefined ? null : (statuses?.get(domain) ?? 'unknown'));
  });
}

/** @param emailStatus null for a lead without address, or one that nothing is known about yet */
export function scored(draft: LeadDraft, emailStatus: EmailStatus | null): ScoredLead {
  return { ...draft, emailStatus, confidence: scoreLead(draft, emailStatus) };
}

function firstDomain({ emails: [first] }: LeadDraft): string[] {
  return first ? [first.value.slice(first.value.lastIndexOf('@') + 1)] : [];
}
