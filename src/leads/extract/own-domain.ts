import { canonicalProfile } from './canonical-profile.ts';
import { resemblesDomain } from './organization-key.ts';
import { plainLetters } from './role-lexicon.ts';
import { isDirectory } from '#src/leads/lexicon/directory-hosts.ts';
import { isFreeMail } from '#src/leads/lexicon/email-facts.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/** Shorter words also occur in unrelated domains. */
const SHORTEST_WORD = 5;
const SHORTEST_LABEL = 4;

/** The registrable domain of an address; null for mail providers. */
export function domainOfEmail(email: string): string | null {
  return isFreeMail(email) ? null : registrableDomain(email.slice(email.lastIndexOf('@') + 1));
}

/** The registrable domain of a web site with a single owner; null for profiles, maps, shop platforms and the like. */
export function domainOfSite(url: string): string | null {
  if (!/^https?:/i.test(url) || canonicalProfile(url)) return null;
  const domain = registrableDomain(url);
  return domain === null || !domain.includes('.') || isDirectory(domain) ? null : domain;
}

/** Whether two domains seem to have one owner: acme.de and acme.fr, acme.com and acme-group.com. */
export function areDomainsAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [labelOf(one), labelOf(other)];
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  return a === b || (shorter.length >= SHORTEST_LABEL && longer.startsWith(shorter));
}

/** Whether an address is at a domain or one like it. */
export function isAtDomain(email: string, domain: string): boolean {
  const own = domainOfEmail(email);
  return own !== null && areDomainsAlike(own, domain);
}

function labelOf(domain: string): string {
  return plainLetters(domain.split('.')[0] ?? '').replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Whether a domain matches a name: they share a longer word. */
export function namesDomain(name: string, domain: string): boolean {
  if (resemblesDomain(name, domain)) return true;
  const label = labelOf(domain);
  return plainLetters(name.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue'))
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word.length >= SHORTEST_WORD && label.includes(word));
}
