import { organizationKey, resemblesDomain } from './organization-key.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import type { PageSource } from './page-source.ts';
import { siteNameOf } from './site-name.ts';

/** Whether a name is that of the site's house, with the look of a person's: "Viveros Altaluz" at viveros-altaluz.es. */
export function houseNameTest(source: PageSource): (name: string) => boolean {
  const domain = registrableDomain(source.url) ?? '';
  const siteKey = organizationKey(siteNameOf(source));
  return (name) => {
    const key = organizationKey(name);
    if (key.length < 4) return false;
    if (siteKey !== '' && (key === siteKey || key.startsWith(siteKey))) return true;
    return resemblesDomain(name, domain);
  };
}
