import { type HtmlElement, type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { isListingName } from '#src/leads/lexicon/listing-words.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { kindOfName } from '#src/leads/lexicon/site-page-words.ts';
import { contactsIn } from './card-contacts.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { contactHints } from './contact-hints.ts';
import { findNames } from './find-names.ts';
import { isAboutOthers } from './foreign-contacts.ts';
import { organizationNameTest } from './is-organization-name.ts';
import type { Members } from './member-cards.ts';
import { memberPersons } from './member-persons.ts';
import { organizationKey } from './organization-key.ts';
import { organizationName } from './organization-lines.ts';
import { domainOfEmail, domainOfSite, isAtDomain, namesDomain } from './own-domain.ts';
import { linkAround, type PageLine, type PageLines, readPageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { readPersonName } from './person-name.ts';

const MAX_LEVELS = 64;
/** A page with more numbers, or addresses on several domains, is about several organisations. */
const MAX_PHONES = 3;
/** Parts of a page that are the same on every page of a site. */
const FRAME = new Set(['header', 'footer', 'nav']);
const FRAME_NAME =
  /(?:^|[\s_-])(?:header|masthead|footer|nav|navbar|navigation|menu|breadcrumbs?|colophon)(?:$|[\s_-])/i;

/**
 * Reads the page of one member of an association or directory. Its heading names the member, and the contacts in its
 * content, apart from addresses of the site, are the member's. Null when it is about something else.
 */
export function readMemberPage(source: PageSource): Members | null {
  const page = readPageLines(source.page.root);
  const heading = memberHeading(page, source);
  if (heading === null) return null;
  const nodes = contentAround(heading.node);
  // In the order of the page.
  const spans = nodes.map((node) => page.spans.get(node)).filter((span) => span !== undefined);
  const from = spans[0]?.[0] ?? 0;
  const to = spans.at(-1)?.[1] ?? 0;
  const siteDomain = registrableDomain(source.url) ?? '';
  const { emails, phones, profiles } = contactsIn(nodes, source, page.styles);
  const isOfSite = (email: string): boolean => isAtDomain(email, siteDomain);
  const own = emails.filter((email) => !isOfSite(email));
  const website = websiteIn(nodes, source, page);
  if (own.length + phones.length === 0 && website === null) return null;
  const domains = [website === null ? null : domainOfSite(website), ...own.map(domainOfEmail)];
  const isOne = new Set(own.map(domainOfEmail)).size <= 1 && phones.length <= MAX_PHONES;
  if (!isOne) return null;
  const isNamed = domains.some((domain) => domain !== null && namesDomain(heading.name, domain));
  if (!isNamed && readPersonName(heading.name) !== null) return null;
  const organization = contactCard({
    technique: 'member-card',
    kind: 'organization',
    entity: 'member',
    name: heading.name,
    emails: own,
    phones,
    profiles,
    website,
  });
  const extent = { from, to, found: { name: heading.name } };
  const persons = memberPersons(extent, organization, findNames(page), page.lines);
  const ofSite = emails
    .filter(isOfSite)
    .map((email) => contactCard({ technique: 'visible-text', kind: 'page', emails: [email] }));
  return { cards: [organization, ...persons, ...ofSite], nodes };
}

/** What structured data says about the member and its people, as cards of a member. */
export function ofMember(card: ContactCard, [member]: readonly ContactCard[]): ContactCard {
  if (!member || card.kind === 'page') return card;
  const domains = new Set(domainsOf(member));
  const isTheirs = domainsOf(card).some((domain) => domains.has(domain));
  if (card.kind === 'person') {
    return isTheirs ? { ...card, entity: 'member', company: member.name } : card;
  }
  const isNamesake =
    card.name !== null && organizationKey(card.name) === organizationKey(member.name ?? '');
  return isTheirs || isNamesake ? { ...card, entity: 'member' } : card;
}

function domainsOf({ emails, website }: ContactCard): string[] {
  const site = website === null ? null : domainOfSite(website);
  return [site, ...emails.map(domainOfEmail)].filter((domain) => domain !== null);
}

/** The first heading that can be the name of another organisation. */
function memberHeading(
  { lines }: PageLines,
  source: PageSource,
): { name: string; node: HtmlNode } | null {
  const isHost = organizationNameTest(source);
  for (const line of lines) {
    if (line.isForeign || !isHeading(line) || isLinkHome(line)) continue;
    const name = organizationName(line.text);
    if (name === null || isHost(name)) continue;
    const isOther = isListingName(name) || isAboutOthers(name) || kindOfName(name)?.share === 1;
    return isOther ? null : { name, node: line.node };
  }
  return null;
}

/** The site's own name above every page. */
function isLinkHome({ elements: [element] }: PageLine): boolean {
  const href = element ? linkAround(element)?.attribs['href'] : undefined;
  return href !== undefined && /^(?:https?:\/\/[^/]+)?\/?(?:index\.\w{2,5})?$/i.test(href.trim());
}

function isHeading({ elements: [element] }: PageLine): boolean {
  let at: HtmlNode | null = element ?? null;
  for (let up = 0; at && isElement(at) && up < 3; up += 1) {
    if (/^h[1-3]$/.test(at.name)) return true;
    at = at.parent;
  }
  return false;
}

/** The main part of the page around its heading; else the whole page without what frames it. */
function contentAround(heading: HtmlNode): HtmlNode[] {
  let body: HtmlElement | null = null;
  let at: HtmlNode | null = heading.parent;
  for (let up = 0; at && up < MAX_LEVELS; up += 1) {
    if (isElement(at)) {
      if (at.name === 'main' || at.attribs['role'] === 'main') return [at];
      body = at;
      if (at.name === 'body') break;
    }
    at = at.parent;
  }
  return body === null ? [] : withoutFrame(body);
}

function withoutFrame({ children }: HtmlElement): HtmlNode[] {
  return children.filter((child) => {
    if (!isElement(child)) return true;
    const named = `${child.attribs['class'] ?? ''} ${child.attribs['id'] ?? ''}`.slice(0, 300);
    return !FRAME.has(child.name) && !FRAME_NAME.test(named);
  });
}

function websiteIn(nodes: readonly HtmlNode[], source: PageSource, page: PageLines): string | null {
  const content = new Set(nodes);
  const isInside = (node: HtmlNode): boolean => {
    let at: HtmlNode | null = node;
    for (let up = 0; at && up < MAX_LEVELS; up += 1) {
      if (content.has(at)) return true;
      at = at.parent;
    }
    return false;
  };
  const sites = contactHints(source, page).filter(({ kind }) => kind === 'site');
  return sites.find(({ node }) => isInside(node))?.url ?? null;
}
