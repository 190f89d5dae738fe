import { facebookProfile } from './facebook-profile.ts';
import { instagramProfile } from './instagram-profile.ts';
import { urlSegments } from './url-segments.ts';

/** A profile in a social network, under its canonical URL. */
export interface Profile {
  network: 'linkedin' | 'twitter' | 'facebook' | 'instagram';
  kind: 'person' | 'organization' | 'unknown';
  url: string;
}

const MAX_URL_LENGTH = 2_000;
const LINKEDIN_KINDS: ReadonlyMap<string, { path: string; kind: 'person' | 'organization' }> =
  new Map([
    ['in', { path: 'in', kind: 'person' }],
    ['company', { path: 'company', kind: 'organization' }],
    ['company-beta', { path: 'company', kind: 'organization' }],
    ['school', { path: 'school', kind: 'organization' }],
    ['showcase', { path: 'showcase', kind: 'organization' }],
  ]);
const LINKEDIN_SLUG = /^[\p{L}\p{M}\p{N}\p{So}][\p{L}\p{M}\p{N}\p{So}._&'’–-]{0,119}$/u;
const LINKEDIN_NOBODY = new Set(
  'me unavailable login signup undefined null username your-profile yourprofile your-company yourcompany your-name yourname profile'.split(
    ' ',
  ),
);
const HANDLE = /^[a-z0-9_]{1,15}$/;
/** Pages of the network itself, and template placeholders. */
const NO_HANDLES = new Set(
  (
    'share intent home login logout signup signin i search hashtag explore settings notifications messages compose ' +
    'tos privacy about jobs download account oauth who_to_follow widgets status statuses en de fr es ja it pt rules ' +
    'help terms cookies security business ads careers developers dev bookmarks lists topics moments events follow ' +
    'followers following communities premium verified_orgs goodbye personalization undefined null username yourhandle ' +
    'your_handle yourusername your_username handle twitter x wix squarespace wordpress'
  ).split(' '),
);
/** What may follow a handle in the URL of the same profile. */
const PROFILE_TABS = new Set([
  'with_replies',
  'media',
  'likes',
  'highlights',
  'articles',
  'followers',
  'following',
]);

/** The profile that a URL leads to; null for any other URL. */
export function canonicalProfile(url: string): Profile | null {
  const parsed = parseUrl(url);
  if (parsed === null) return null;
  const host = parsed.hostname.replace(/\.$/, '');
  if (host === 'linkedin.com' || host.endsWith('.linkedin.com')) return linkedInProfile(parsed);
  if (/^(?:(?:www|mobile|m)\.)?(?:twitter|x)\.com$/.test(host)) return twitterProfile(parsed);
  const facebook = facebookProfile(parsed);
  if (facebook !== null) return { network: 'facebook', kind: 'unknown', url: facebook };
  const instagram = instagramProfile(parsed);
  return instagram === null ? null : { network: 'instagram', kind: 'unknown', url: instagram };
}

function parseUrl(text: string): URL | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH) return null;
  const isSchemeless =
    /^(?:[a-z0-9-]+\.){0,3}(?:linkedin|twitter|x|facebook|fb|instagram)\.com\//i.test(trimmed);
  const url = URL.parse(isSchemeless ? `https://${trimmed}` : trimmed, 'https://nowhere.invalid/');
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

function linkedInProfile({ pathname }: URL): Profile | null {
  const [section = '', written = ''] = urlSegments(pathname) ?? [];
  const known = LINKEDIN_KINDS.get(section.toLowerCase());
  const slug = written.trim().toLowerCase();
  if (!known || !LINKEDIN_SLUG.test(slug) || LINKEDIN_NOBODY.has(slug)) return null;
  return {
    network: 'linkedin',
    kind: known.kind,
    url: `https://www.linkedin.com/${known.path}/${encodeURIComponent(slug)}`,
  };
}

function twitterProfile({ pathname, hash }: URL): Profile | null {
  const path = hash.startsWith('#!/') ? hash.slice(2) : pathname;
  const [written = '', tab] = urlSegments(path) ?? [];
  const handle = written.trim().replace(/^@/, '').toLowerCase();
  if (!HANDLE.test(handle) || NO_HANDLES.has(handle) || /^\d{1,3}$/.test(handle)) return null;
  if (tab !== undefined && !PROFILE_TABS.has(tab.toLowerCase())) return null;
  return { network: 'twitter', kind: 'unknown', url: `https://x.com/${handle}` };
}
