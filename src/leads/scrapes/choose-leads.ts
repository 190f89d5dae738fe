import type { LeadDraft, ScoredLead } from '#src/leads/merge/lead-draft.ts';
import type { LeadToStore, StoredLead } from './lead-rows.ts';

/**
 * The leads of a result: at most `limit`, taken from the sites in turn, so that one long staff page does not crowd
 * out the other sites. Those that can be reached come first, then the most confident.
 * @param merged leads of all sites, in site order
 * @param stored the leads that they were merged from: an unchanged identity keeps its id
 */
export function chooseLeads(
  merged: readonly ScoredLead[],
  stored: readonly StoredLead[],
  limit: number,
): LeadToStore[] {
  const bySite = Map.groupBy(merged, ({ siteDomain }) => siteDomain);
  const queues = [...bySite.values()].map((leads) => leads.toSorted(byUse));
  const chosen: ScoredLead[] = [];
  for (let turn = 0; chosen.length < limit; turn += 1) {
    const round = queues.flatMap((queue) => queue[turn] ?? []);
    if (round.length === 0) break;
    chosen.push(...round.slice(0, limit - chosen.length));
  }
  const free = new Map(stored.map((row) => [row.id, row]));
  return chosen.toSorted(byUse).map((lead) => {
    const known = [...free.values()].find((row) => isSame(row.lead, lead));
    if (!known) return { site_ordinal: ordinalOf(lead, stored), lead };
    free.delete(known.id);
    return { id: known.id, site_ordinal: known.site_ordinal, lead };
  });
}

function byUse(a: ScoredLead, b: ScoredLead): number {
  return Number(isReachable(b)) - Number(isReachable(a)) || b.confidence - a.confidence;
}

/** By mail or by phone. An address whose domain takes no mail reaches nobody. */
function isReachable({ emails, phones, emailStatus }: ScoredLead): boolean {
  return phones.length > 0 || (emails.length > 0 && emailStatus !== 'no_mx');
}

function ordinalOf({ siteDomain }: LeadDraft, stored: readonly StoredLead[]): number {
  return stored.find(({ lead }) => lead.siteDomain === siteDomain)?.site_ordinal ?? 0;
}

/** Whether both are about the same person, or about the organisation of the same site. */
function isSame(a: LeadDraft, b: LeadDraft): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'organization') return a.siteDomain === b.siteDomain;
  const [email, otherEmail] = [a.emails[0]?.value, b.emails[0]?.value];
  if (email !== undefined && otherEmail !== undefined) return email === otherEmail;
  return a.name?.value === b.name?.value && a.siteDomain === b.siteDomain;
}
