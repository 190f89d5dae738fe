import { canonicalProfile } from './canonical-profile.ts';
import { contactCard, type ContactCard, type PostalAddress } from './contact-card.ts';
import { organizationNameTest } from './is-organization-name.ts';
import { normalizeEmail } from './normalize-email.ts';
import { normalizePhone } from './normalize-phone.ts';
import type { PageSource } from './page-source.ts';
import { readPersonName } from './person-name.ts';
import { isRoleLine } from './role-words.ts';
import { siteNameOf, TITLE_SEPARATOR } from './site-name.ts';

export { siteNameOf } from './site-name.ts';

const LONGEST_DESCRIPTION = 500;
const LONGEST_TITLE = 200;
const HANDLE = /^@?([A-Za-z0-9_]{1,15})$/;

/** What a page's `meta` elements and title say about its organisation, author and subject. */
export function readPageMeta(source: PageSource): ContactCard[] {
  const organization = organizationCard(source);
  const author = authorCard(source);
  const subject = titleCard(source);
  return [organization, author, profileCard(source), subject].filter((card) => card !== null);
}

function organizationCard({ url, page, region }: PageSource): ContactCard | null {
  const meta = (...keys: string[]): string => first(page.metas, keys);
  const name = meta('og:site_name', 'business:contact_data:name', 'application-name');
  const email = normalizeEmail(meta('business:contact_data:email', 'og:email'));
  const written = meta('business:contact_data:phone_number', 'og:phone_number');
  const phone = normalizePhone(written, region, 'marked');
  const profiles = [
    handleUrl(meta('twitter:site')),
    canonicalProfile(meta('article:publisher'))?.url ?? null,
  ].filter((url) => url !== null);
  const website = absoluteUrl(meta('business:contact_data:website'), url);
  const address = addressOf(meta);
  const known = siteNameOf({ url, page });
  const description = meta('og:description', 'description').slice(0, LONGEST_DESCRIPTION);
  const isNamed = name !== '' || email || phone || profiles.length > 0 || website || address;
  if (!isNamed && description === '') return null;
  return contactCard({
    technique: 'meta',
    kind: 'organization',
    name: isNamed ? known || null : null,
    emails: email === null ? [] : [email],
    phones: phone === null ? [] : [phone],
    profiles,
    website,
    description: description || null,
    address,
  });
}

/** A page's author by name; bylines that name an organisation or a user name are ignored. */
function authorCard({ page }: PageSource): ContactCard | null {
  const written = [page.metas.get('author'), page.metas.get('article:author')];
  const name = written.map((text) => readPersonName(text ?? '')).find((text) => text !== null);
  // Content management systems put the site's own Facebook page here.
  const links = written
    .map((text) => canonicalProfile(text ?? ''))
    .filter((profile) => profile?.network !== 'facebook')
    .map((profile) => profile?.url);
  const creator = first(page.metas, ['twitter:creator']);
  const isOwn = creator.toLowerCase() === first(page.metas, ['twitter:site']).toLowerCase();
  const profiles = [...links, isOwn ? null : handleUrl(creator)].filter(
    (url) => url !== undefined && url !== null,
  );
  if (name === undefined && profiles.length === 0) return null;
  return contactCard({
    technique: 'meta',
    kind: name === undefined ? 'page' : 'person',
    name: name ?? null,
    profiles: [...new Set(profiles)],
  });
}

/** Open Graph's `profile`: a page about one person. */
function profileCard({ page }: PageSource): ContactCard | null {
  if (first(page.metas, ['og:type']).toLowerCase() !== 'profile') return null;
  const given = first(page.metas, ['profile:first_name', 'og:profile:first_name']);
  const family = first(page.metas, ['profile:last_name', 'og:profile:last_name']);
  const [title = ''] = first(page.metas, ['og:title']).split(TITLE_SEPARATOR);
  const name = readPersonName(given !== '' && family !== '' ? `${given} ${family}` : title);
  return name === null ? null : contactCard({ technique: 'meta', kind: 'person', name });
}

/**
 * "Jane Doe – Head of Sales
 * Acme": a name, a role and the organisation's name.
 */
function titleCard(source: PageSource): ContactCard | null {
  const { url, page } = source;
  const isOrganization = organizationNameTest(source);
  for (const title of [page.title, first(page.metas, ['og:title'])]) {
    if (title.length > LONGEST_TITLE) continue;
    const parts = title.split(TITLE_SEPARATOR).map((part) => part.trim());
    const [head = '', ...rest] = parts.filter((part) => part !== '');
    const read = nameAndRole(head, rest, isOrganization);
    if (read === null) continue;
    const company = read.rest.length === 1 ? (read.rest[0] ?? null) : siteNameOf({ url, page });
    return contactCard({
      technique: 'page-title',
      kind: 'person',
      name: read.name,
      title: read.role,
      company: company || null,
    });
  }
  return null;
}

/** "Jane Doe" and "CEO" as separate parts of a title, or "Jane Doe, CEO" as one part. */
function nameAndRole(
  head: string,
  rest: readonly string[],
  isOrganization: (name: string) => boolean,
): { name: string; role: string; rest: readonly string[] } | null {
  const [role = '', ...others] = rest;
  const name = readPersonName(head);
  // "About Jane" and "Baker Doe", which is the organisation.
  const isRole = isRoleLine(role) && !isOrganization(role);
  if (name !== null && isRole) return { name, role, rest: others };
  const comma = head.indexOf(',');
  if (comma === -1) return null;
  const before = readPersonName(head.slice(0, comma));
  const behind = head.slice(comma + 1).trim();
  return before !== null && isRoleLine(behind) ? { name: before, role: behind, rest } : null;
}

function addressOf(meta: (...keys: string[]) => string): PostalAddress | null {
  const address: PostalAddress = {
    street: meta('business:contact_data:street_address', 'og:street-address'),
    postalCode: meta('business:contact_data:postal_code', 'og:postal-code'),
    locality: meta('business:contact_data:locality', 'og:locality'),
    region: meta('business:contact_data:region', 'og:region'),
    country: meta('business:contact_data:country_name', 'og:country-name'),
  };
  return address.street === '' && address.locality === '' ? null : address;
}

function handleUrl(text: string): string | null {
  const handle = HANDLE.exec(text.trim())?.[1];
  return canonicalProfile(handle === undefined ? text : `https://x.com/${handle}`)?.url ?? null;
}

function absoluteUrl(text: string, base: string): string | null {
  const url = text === '' ? null : URL.parse(text, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

function first(metas: ReadonlyMap<string, string>, keys: readonly string[]): string {
  for (const key of keys) {
    const content = metas.get(key);
    if (content !== undefined && content !== '') return content;
  }
  return '';
}
