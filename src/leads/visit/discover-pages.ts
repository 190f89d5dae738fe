import type { ExtractedPage } from '#src/leads/extract/extracted-page.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';
import { pageKey, plainAddress, siteDomainOf } from './page-key.ts';
import { isListingName } from '#src/leads/lexicon/listing-words.ts';
import { isNewsName, kindOfName, type NamedPageKind } from '#src/leads/lexicon/site-page-words.ts';

export type SitePageKind =
  | NamedPageKind
  /** A further start page. */
  | 'start'
  | 'home'
  /** Page of one person, or of one member of an association. */
  | 'person'
  | 'member'
  | 'vcard'
  /** A frame of another page. */
  | 'frame'
  /** Its name gives no hint. */
  | 'other';

/** A page of a site that is worth a visit. */
export interface SitePage {
  url: string;
  kind: SitePageKind;
  /** How clearly its name tells its kind, above 0 and up to 1. */
  share: number;
  /** The site does not name it. */
  isGuessed?: boolean;
}

/** More links than this are a machine-made list. */
const MAX_LINKS = 3_000;
const MAX_URL_LENGTH = 2_000;
const NO_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|mov|avi|mkv|webm|og[gv]|wav|flac|css|m?js|json|xml|rss|map|woff2?|ttf|eot|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|wasm|bin|pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|csv|epub|eml|ics|torrent)$/i;
const PAGE_EXTENSION = /\.(?:html?|xhtml|php\d?|aspx?|jspx?|cfm|cgi|pl|do)$/i;

/**
 * The linked pages where contacts usually are, without duplicates, in page order: recognized by the words of their
 * paths and link texts.
 * @param domain the site's registrable domain: other sites are left out
 */
export function discoverPages(
  page: Pick<ExtractedPage, 'url' | 'links'> & Partial<Pick<ExtractedPage, 'cards'>>,
  domain: string,
): SitePage[] {
  const found = new Map<string, SitePage>();
  const listed = kindOfList(page.cards ?? []);
  const members = memberKeys(page.cards ?? []);
  const own = URL.parse(page.url);
  const isOfSite = siteTest(domain);
  for (const { url, text, role } of page.links.slice(0, MAX_LINKS)) {
    const address = url.length > MAX_URL_LENGTH ? null : plainAddress(url);
    if (!address || !isOfSite(address)) continue;
    const key = pageKey(address);
    if (own && key === pageKey(own)) continue;
    const named =
      role === undefined
        ? (furtherPage(own, address, listed) ??
          memberPage(text, members) ??
          namePage(address, text))
        : nameByRole(address, role);
    if (named === null) continue;
    const known = found.get(key);
    if (!known || named.share > known.share) {
      found.set(key, { url: known?.url ?? address.href, ...named });
    }
  }
  return [...found.values()];
}

/** The same for addresses without a link text, as in a sitemap. */
export function discoverListed(urls: readonly string[], domain: string): SitePage[] {
  const links = urls.map((url) => ({ url, text: '' }));
  return discoverPages({ url: '', links }, domain);
}

/** Usual addresses of such pages, for sites that link to none. */
export function guessPages(homeUrl: string, isGerman: boolean): SitePage[] {
  const paths: [string, SitePageKind][] = isGerman
    ? [
        ['/impressum', 'imprint'],
        ['/kontakt', 'contact'],
        ['/team', 'team'],
        ['/ueber-uns', 'about'],
      ]
    : [
        ['/contact', 'contact'],
        ['/about', 'about'],
        ['/team', 'team'],
        ['/impressum', 'imprint'],
        ['/kontakt', 'contact'],
      ];
  return paths.map(([path, kind]) => ({
    url: new URL(path, homeUrl).href,
    kind,
    share: 0.1,
    isGuessed: true,
  }));
}

/** Whether German, Austrian or Swiss law requires an imprint there. */
export function isGermanSite(url: string, language: string): boolean {
  return language === 'de' || /\.(?:de|at|ch|li)$/i.test(URL.parse(url)?.hostname ?? '');
}

/** Tests many links of few origins, hence the cache. The port counts: at an IP address, each may be another site. */
function siteTest(domain: string): (address: URL) => boolean {
  const known = new Map<string, boolean>();
  return ({ origin }) => {
    const isOfSite = known.get(origin) ?? siteDomainOf(origin) === domain;
    known.set(origin, isOfSite);
    return isOfSite;
  };
}

/** Top-level pages whose names give no hint, in page order: on a small site, any of them may have contacts. */
export function discoverOthers(
  page: Pick<ExtractedPage, 'url' | 'links'>,
  domain: string,
): SitePage[] {
  const isOfSite = siteTest(domain);
  return page.links.slice(0, MAX_LINKS).flatMap(({ url, role }): SitePage[] => {
    const address = url.length > MAX_URL_LENGTH ? null : plainAddress(url);
    if (!address || !isOfSite(address) || role !== undefined) return [];
    const path = decoded(address.pathname);
    const segments = path.split('/').filter((segment) => segment !== '' && !PROGRAM.test(segment));
    const isPlain = !NO_PAGE.test(path) && address.searchParams.size <= 1;
    const isHigh = segments.length > 0 && segments.length <= 2;
    const isJobs = segments.length === 1 && JOBS.test(segments[0] ?? '');
    // News may name whom to reach; single items are many.
    const isItem = !isJobs && segments.slice(0, -1).some(isNewsName);
    const isContent = !isItem && !segments.some((segment) => SERVICE.test(segment));
    return isPlain && isHigh && isContent ? [{ url: address.href, kind: 'other', share: 0.1 }] : [];
  });
}

/** "/index.php/club/team" */
const PROGRAM = /^index\.\w{2,5}$/i;

/** Functions of a site, not content. */
const SERVICE =
  /^(?:log-?in|log-?out|sign-?(?:in|up|out)|register|account|my-?account|search|feed|rss|sitemap|basket|checkout|wp-(?:admin|login|json|content)|cgi-bin|api|print|download|downloads|anmelden|suche|termin|termine)(?:\.\w{1,5})?$/i;

/** Applications may go to an address or a number that no other page has. */
const JOBS = /^(?:jobs?|careers?|karriere)(?:\.\w{1,5})?$/i;

type Naming = Pick<SitePage, 'kind' | 'share'>;

/** Links to vCards often have the URL of a program, so the link text counts too. */
const VCARD_PATH = /\.vcf$|(?:^|\/)v-?card(?:\/|$)/i;
const VCARD_TEXT = /(?:^|[^\p{L}])(?:v-?card|vcf|elektronische visitenkarte)(?![\p{L}])/iu;

function nameByRole(url: URL, role: 'frame' | 'vcard'): Naming | null {
  return role === 'frame' && NO_PAGE.test(decoded(url.pathname)) ? null : { kind: role, share: 1 };
}

function namePage(url: URL, text: string): Naming | null {
  const path = decoded(url.pathname);
  if (VCARD_PATH.test(path) || VCARD_TEXT.test(text)) return { kind: 'vcard', share: 1 };
  if (NO_PAGE.test(path)) return null;
  const segments = path.split('/').filter((segment) => segment !== '');
  const last = (segments.pop() ?? '').replace(PAGE_EXTENSION, '');
  const best = bestOf([
    kindOfName(text),
    kindOfName(last),
    ...[...url.searchParams.values()].slice(0, 5).map(kindOfName),
    belowNamed(segments, last),
    isListingName(text) || isListingName(last) ? { kind: 'members', share: LISTING_SHARE } : null,
  ]);
  // A news item about a team is not a team page.
  return best && best.share < 1 && segments.some(isNewsName) ? null : best;
}

/** The first of the best matches. */
function bestOf(namings: readonly (Naming | null)[]): Naming | null {
  let best: Naming | null = null;
  for (const naming of namings) {
    if (naming && naming.share > (best?.share ?? 0)) best = naming;
  }
  return best;
}

const BELOW_SHARE = 0.25;
/** Any better match says more. */
const LISTING_SHARE = 0.3;
const MEMBER_SHARE = 0.9;
const LONGEST_NAME = 90;

/** `/team/jane-doe` is a person; `/about/history` may tell more about the company. */
function belowNamed(segments: readonly string[], last: string): Naming | null {
  const parent = kindOfName(segments.at(-1) ?? '');
  if (parent === null || parent.share < 1 || last === '') return null;
  if (parent.kind === 'team') {
    return isPersonName(last) ? { kind: 'person', share: BELOW_SHARE } : null;
  }
  if (parent.kind === 'members') return { kind: 'member', share: BELOW_SHARE };
  return parent.kind === 'privacy' || parent.kind === 'support'
    ? null
    : { kind: parent.kind, share: BELOW_SHARE };
}

/** `/members/page/2` goes on with what `/members` shows. */
function furtherPage(own: URL | null, address: URL, kind: NamedPageKind | null): Naming | null {
  if (own === null || kind === null) return null;
  const first = own.pathname.replace(FURTHER_PAGE, '').replace(/\/$/, '');
  const path = decoded(address.pathname);
  const isFurther = FURTHER_PAGE.test(path) && path.replace(FURTHER_PAGE, '') === decoded(first);
  return isFurther ? { kind, share: BELOW_SHARE } : null;
}

/** A link with the name of a member that the page lists leads to the page of that member. */
function memberPage(text: string, members: ReadonlySet<string>): Naming | null {
  return members.size > 0 && text.length <= LONGEST_NAME && members.has(organizationKey(text))
    ? { kind: 'member', share: MEMBER_SHARE }
    : null;
}

function memberKeys(cards: ExtractedPage['cards']): Set<string> {
  const members = cards.filter(
    ({ kind, entity }) => kind === 'organization' && entity === 'member',
  );
  return new Set(members.flatMap(({ name }) => (name === null ? [] : organizationKey(name))));
}

const FURTHER_PAGE =
  /\/(?:(?:pages?|seite|p[aá]gina|pag|pg|p|strona|str[aá]nka|strana|side|sida|sivu|oldal|sayfa|стр|страница|σελιδα)[/_-]?)?\d{1,3}\/?$/iu;

/** What a page shows a list of. */
function kindOfList(cards: ExtractedPage['cards']): NamedPageKind | null {
  if (cards.some(({ entity }) => entity === 'member')) return 'members';
  return cards.filter(({ technique }) => technique === 'team-card').length > 1 ? 'team' : null;
}

function isPersonName(name: string): boolean {
  return /^\p{L}{2,}(?:[-_. +]\p{L}+){0,4}$/u.test(name) && name.length <= 60;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
