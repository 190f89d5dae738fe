import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { wordsOfName } from '#src/leads/extract/person-name.ts';
import { areDomainsAlike, domainOfEmail, namesDomain } from '#src/leads/extract/own-domain.ts';
import { isLocalSite } from './is-local-site.ts';
import type { Evidenced, LeadDraft } from './lead-draft.ts';
import { isStructured } from './trust.ts';

/** Others with a role on the same page. */
const MIN_COLLEAGUES = 2;
const SHORTEST_SURNAME = 4;

/**
 * Drops persons who work elsewhere: a lawyer, customer or sample person whose only addresses are on another
 * organisation's domain, while the site has addresses of its own. A domain counts as the site's own when two or more
 * persons share it or it matches the site's name. Persons from structured data stay.
 */
export function dropOutsiders(
  persons: readonly LeadDraft[],
  {
    siteDomain,
    siteName,
    emails,
  }: { siteDomain: string; siteName: string; emails: readonly string[] },
): LeadDraft[] {
  const isOwn = (domain: string): boolean =>
    areDomainsAlike(domain, siteDomain) || (siteName !== '' && namesDomain(siteName, domain));
  const hasOwn = emails.some((email) => {
    const domain = domainOfEmail(email);
    return domain !== null && isOwn(domain);
  });
  if (!hasOwn || isLocalSite(siteDomain)) return [...persons];
  const domains = persons.map((person) => new Set(person.emails.flatMap(domainIn)));
  const counts = new Map<string, number>();
  for (const own of domains) {
    for (const domain of own) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const colleagues = Map.groupBy(
    persons.filter((person, index) => person.title !== null && domains[index]?.size === 0),
    pageOf,
  );
  const isAmongColleagues = (person: LeadDraft): boolean =>
    person.title !== null && (colleagues.get(pageOf(person))?.length ?? 0) >= MIN_COLLEAGUES;
  return persons.filter((person, index) => {
    const own = [...(domains[index] ?? [])];
    // The chair of a board may have a domain for the family.
    if (isAmongColleagues(person) && own.every((domain) => hasSurname(person, domain))) return true;
    const isElsewhere = own.length > 0 && own.length === person.emails.length;
    const isAlone = own.every((domain) => !isOwn(domain) && counts.get(domain) === 1);
    return !isElsewhere || !isAlone || person.name?.evidence.some(isMarked);
  });
}

function pageOf({ name }: LeadDraft): string {
  return name?.evidence[0]?.url ?? '';
}

function hasSurname({ name }: LeadDraft, domain: string): boolean {
  const surname = organizationKey(wordsOfName(name?.value ?? '').at(-1) ?? '');
  return surname.length >= SHORTEST_SURNAME && organizationKey(domain).startsWith(surname);
}

function domainIn({ value }: Evidenced): string[] {
  const domain = domainOfEmail(value);
  return domain === null ? [] : [domain];
}

function isMarked({ technique }: Evidenced['evidence'][number]): boolean {
  return isStructured(technique);
}
