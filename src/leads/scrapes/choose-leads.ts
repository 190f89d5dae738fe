import { type LeadDraft, type ScoredLead, visitedDomainOf } from '#src/leads/merge/lead-draft.ts';
import type { LeadToStore, StoredLead } from './lead-rows.ts';
import { isReachable } from './reachability.ts';

/**
 * Chooses at most `limit` leads. Reachable leads come first, taken from the sites in turn, so that one long staff page
 * or member list does not crowd out other sites; then the rest in the same way.
 * @param merged leads of all sites, in site order
 * @param stored the leads that they were merged from; an unchanged identity keeps its id
 */
export function chooseLeads(
  merged: readonly ScoredLead[],
  stored: readonly StoredLead[],
  limit: number,
): LeadToStore[] {
  const reachable = inTurn(merged.filter(isReachable), limit);
  const others = merged.filter((lead) => !isReachable(lead));
  const chosen = [...reachable, ...inTurn(others, limit - reachable.length)];
  const free = new Map(stored.map((row) => [row.id, row]));
  return chosen.toSorted(byUse).map((lead) => {
    const known = [...free.values()].find((row) => isSame(row.lead, lead));
    if (!known) return { site_ordinal: ordinalOf(lead, stored), lead };
    free.delete(known.id);
    return { id: known.id, site_ordinal: known.site_ordinal, lead };
  });
}

/** Takes the best lead of each site, then the second best, and so on. */
function inTurn(leads: readonly ScoredLead[], limit: number): ScoredLead[] {
  const bySite = Map.groupBy(leads, visitedDomainOf);
  const queues = [...bySite.values()].map((ofSite) => ofSite.toSorted(byUse));
  const taken: ScoredLead[] = [];
  for (let turn = 0; taken.length < limit; turn += 1) {
    const round = queues.flatMap((queue) => queue[turn] ?? []);
    if (round.length === 0) break;
    taken.push(...round.slice(0, limit - taken.length));
  }
  return taken;
}

function byUse(a: ScoredLead, b: ScoredLead): number {
  return Number(isReachable(b)) - Number(isReachable(a)) || b.confidence - a.confidence;
}

function ordinalOf(draft: LeadDraft, stored: readonly StoredLead[]): number {
  const visited = visitedDomainOf(draft);
  return stored.find(({ lead }) => visitedDomainOf(lead) === visited)?.site_ordinal ?? 0;
}

/** Whether both describe the same person, or the same organisation. */
function isSame(a: LeadDraft, b: LeadDraft): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'organization') {
    if (a.siteDomain !== b.siteDomain || a.foundOn !== b.foundOn) return false;
    // Listed organisations without a site of their own have the domain of the listing site.
    return a.foundOn !== a.siteDomain || a.name?.value === b.name?.value;
  }
  const [email, otherEmail] = [a.emails[0]?.value, b.emails[0]?.value];
  if (email !== undefined && otherEmail !== undefined) return email === otherEmail;
  return a.name?.value === b.name?.value && a.siteDomain === b.siteDomain;
}
