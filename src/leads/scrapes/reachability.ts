import type { LeadDraft, ScoredLead } from '#src/leads/merge/lead-draft.ts';

/** Whether a lead can be reached by mail or phone. An address whose domain accepts no mail does not count. */
export function isReachable({
  emails,
  phones,
  emailStatus,
}: Pick<LeadDraft, 'emails' | 'phones'> & Partial<Pick<ScoredLead, 'emailStatus'>>): boolean {
  return phones.length > 0 || (emails.length > 0 && emailStatus !== 'no_mx');
}

/** At most `limit` drafts; unreachable ones are dropped first. */
export function mostReachable<Draft extends LeadDraft>(
  drafts: readonly Draft[],
  limit: number,
): Draft[] {
  if (drafts.length <= limit) return [...drafts];
  return drafts.toSorted((a, b) => Number(isReachable(b)) - Number(isReachable(a))).slice(0, limit);
}
