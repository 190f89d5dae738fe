import { organizationKey, resemblesDomain } from './organization-key.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { PageSource } from './page-source.ts';
import { siteNameOf } from './site-name.ts';

/**
 * Tests whether a name that looks like a person's is the name of the site's organisation: "Viveros Altaluz" at
 * viveros-altaluz.es.
 */
export function organizationNameTest(source: PageSource): (name: string) => boolean {
  const domain = registrableDomain(source.url) ?? '';
  const siteKey = organizationKey(siteNameOf(source));
  return (name) => {
    const key = organizationKey(name);
    if (key.length < 4) return false;
    if (siteKey !== '' && (key === siteKey || key.startsWith(siteKey))) return true;
    return resemblesDomain(name, domain);
  };
}
