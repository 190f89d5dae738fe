import { countryOfPhone } from './normalize-phone.ts';
import { openPage, type OpenedPage } from '#src/files/open-page.ts';
import { documentationPage, withoutHeadings } from './documentation-page.ts';
import { trunkIn } from './extensions.ts';
import type { ExtractedPage, PageToExtract } from './extracted-page.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { withoutContactsBesideOthers } from './beside-names.ts';
import { readCloudflareEmails } from './cloudflare-email.ts';
import { sharedDomainIn } from './column-emails.ts';
import type { ContactCard } from './contact-card.ts';
import { readContactLinks } from './contact-links.ts';
import { countryCodeOf } from './country-code.ts';
import { foreignContacts } from './foreign-contacts.ts';
import { type Members, readMembers } from './member-cards.ts';
import { ofMember, readMemberPage } from './member-page.ts';
import { withoutNodes } from './without-nodes.ts';
import { readHCards } from './h-card.ts';
import { readJsonLd } from './json-ld.ts';
import { withListed, withMarkedMembers } from './marked-members.ts';
import { readMicrodata } from './microdata.ts';
import { readObfuscatedEmails } from './obfuscated-email.ts';
import { readPageMeta, siteNameOf } from './page-meta.ts';
import { type PageLines, readPageLines } from './page-lines.ts';
import { readPageLinks } from './page-links.ts';
import type { PageSource } from './page-source.ts';
import { type Mention, personMentions } from './person-mentions.ts';
import { weighMention } from './person-model.ts';
import { readProfileLinks } from './profile-links.ts';
import { readRdfa } from './rdfa.ts';
import { regionOf } from './region-of.ts';
import { regionOfText } from './region-of-text.ts';
import { scanPhones } from './scan-phones.ts';
import { readScriptJson } from './script-json.ts';
import { signedNameOf } from './signed-name.ts';
import { readTeamCards } from './team-cards.ts';
import { readVCards } from './vcard.ts';
import { visiblePageText, withoutMarks } from './visible-page-text.ts';
import { readVisibleText } from './visible-text.ts';

/** The rest is not read: no human-written page is this long. */
const MAX_HTML_LENGTH = 4 * 1024 * 1024;
const MAX_CARDS = 5_000;
const MAX_TITLE_LENGTH = 500;
const MAX_TEXT_LENGTH = 50_000;
/** A page with scripts and less text than this only shows a placeholder until they have run. */
const FEW_CHARACTERS = 200;

type ReadTechnique = (source: PageSource) => ContactCard[];
/** Structured data. */
const MARKED: readonly ReadTechnique[] = [readJsonLd, readMicrodata, readRdfa, readHCards];
/** Visible content, without the listed organisations. */
const SHOWN: readonly ReadTechnique[] = [
  readScriptJson,
  readContactLinks,
  readCloudflareEmails,
  readObfuscatedEmails,
  readVisibleText,
  readPageMeta,
  readTeamCards,
  readProfileLinks,
];

/**
 * Reads one page with all techniques, over one parsed tree. When a technique fails, only its own findings are lost.
 * @param onMentions gets the names of the page with their signs, of which the result has only the weight: for training
 * @throws GiveUp for HTML that no human has written
 */
export function extractPage(
  given: PageToExtract,
  onMentions?: (mentions: readonly Mention[]) => void,
): ExtractedPage {
  const { url, html: written, kind, isOfMember = false, region: regionOfSite = null } = given;
  const html = written.slice(0, MAX_HTML_LENGTH);
  if (kind === 'vcard') return extractVCard(url, html, regionOfSite);
  const page = openPage(html);
  const source = { url, html, page, region: regionOf({ url, language: page.language, page }) };
  const links = readPageLinks(source);
  const signedBy = signedNameOf(readPageLines(page.root));
  const hasText =
    visiblePageText(page)
      .replace(/[\s\uE000-\uE002]+/g, ' ')
      .trim().length >= FEW_CHARACTERS;
  const text = withoutMarks(visiblePageText(page)).slice(0, MAX_TEXT_LENGTH);
  const region =
    statedRegion(source) ??
    source.region ??
    regionOfNumbers(text) ??
    regionOfText(text, regionOfSite) ??
    regionOfSite;
  const trunk = trunkIn(text, region, {
    siteName: siteNameOf(source) || page.title,
    trunk: given.trunk ?? null,
  });
  const shared = { region, trunk, mailDomain: sharedDomainIn(text) };
  const { cards, mentions } = readCards({ ...source, ...shared }, isOfMember);
  onMentions?.(mentions);
  return {
    url,
    canonicalUrl: canonicalUrlOf(page, url),
    title: page.title.slice(0, MAX_TITLE_LENGTH),
    siteName: siteNameOf(source),
    signedBy,
    language: /^[a-z]{2,3}(?![a-z])/.exec(page.language.toLowerCase())?.[0] ?? '',
    region,
    trunk,
    cards,
    mentions: mentions.map(weighMention),
    links,
    needsRendering: page.hasScripts && !hasText && !cards.some(hasContact),
  };
}

function extractVCard(url: string, text: string, region: string | null): ExtractedPage {
  return {
    url,
    canonicalUrl: url,
    title: '',
    siteName: '',
    language: '',
    cards: readVCards(text, url, region).slice(0, MAX_CARDS),
    links: [],
    needsRendering: false,
  };
}

/** Members are read first, because the other techniques must not see their parts of the page. */
function readCards(
  source: PageSource,
  isOfMember: boolean,
): { cards: ContactCard[]; mentions: Mention[] } {
  const written = withMarkedMembers(
    MARKED.flatMap((read) => cardsOr(read, source)),
    source,
  );
  const listed = membersOr(readMembers, source) ?? { cards: [], nodes: [] };
  const isList = listed.cards.length > 0 || !isOfMember;
  const member = isList ? null : membersOr(readMemberPage, source);
  const marked = member
    ? written.map((card) => ofMember(card, member.cards))
    : withListed(written, listed.cards);
  const members = member ?? listed;
  const documentation = documentationPage(source);
  const rest = withoutNodes(source, [...members.nodes, ...(documentation?.code ?? [])]);
  const found = SHOWN.flatMap((read) => cardsOr(read, rest));
  const shown = documentation ? withoutHeadings(found, source.url) : found;
  const all = [...marked, ...members.cards, ...shown].slice(0, MAX_CARDS);
  const lines = readPageLines(rest.page.root);
  return {
    cards: withoutContactsBesideOthers(withoutForeign(all, rest), lines.lines, source.region),
    // Headings of documentation look like names.
    mentions: documentation || member ? [] : mentionsOr(lines, rest),
  };
}

function membersOr(
  read: (source: PageSource) => Members | null,
  source: PageSource,
): Members | null {
  try {
    return read(source);
  } catch {
    return null;
  }
}

/** Drops contacts that the page attributes to another organisation, unless its markup gives them to somebody. */
function withoutForeign(cards: readonly ContactCard[], source: PageSource): ContactCard[] {
  const { emails, phones, named, strange, certified } = foreignContacts(
    readPageLines(source.page.root),
    source,
  );
  const sets = [emails, phones, named, strange, certified];
  if (sets.every(({ size }) => size === 0)) return [...cards];
  return cards.flatMap((card) => {
    const isPerson = card.technique === 'team-card';
    if (card.kind !== 'page' && !isPerson) return [card];
    const own = {
      ...card,
      emails: card.emails.filter((email) => !emails.has(email)),
      phones: card.phones.filter((phone) => !phones.has(phone) && (isPerson || !named.has(phone))),
    };
    if (isPerson) return [own];
    const isLeft = own.emails.length + own.phones.length + own.profiles.length > 0;
    if (!isLeft) return [];
    if (own.emails.some((email) => strange.has(email))) return [{ ...own, entity: 'other' }];
    const isHosts = own.emails.some((email) => certified.has(email));
    return [isHosts ? { ...own, entity: 'host' } : own];
  });
}

/** One failing technique must not cost the findings of the others; the failure is not reported. */
function cardsOr(read: ReadTechnique, source: PageSource): ContactCard[] {
  try {
    return read(source);
  } catch {
    return [];
  }
}

function mentionsOr(lines: PageLines, source: PageSource): Mention[] {
  try {
    return personMentions(lines, source);
  } catch {
    return [];
  }
}

/** The country that structured data gives as the organisation's address. */
function statedRegion(source: PageSource): string | null {
  for (const { kind, address } of cardsOr(readJsonLd, source)) {
    const region = kind === 'organization' && address ? countryCodeOf(address.country) : null;
    if (region !== null) return region;
  }
  return null;
}

/** The country of the page's phone numbers, if all have the same. */
function regionOfNumbers(text: string): string | null {
  const numbers = scanPhones(text, null);
  const [country, ...others] = new Set(numbers.map(({ phone }) => countryOfPhone(phone)));
  return others.length === 0 ? (country ?? null) : null;
}

function canonicalUrlOf({ canonical, base }: OpenedPage, url: string): string {
  const absolute = canonical === '' ? null : URL.parse(canonical, URL.parse(base, url) ?? url);
  if (!absolute || !/^https?:$/.test(absolute.protocol)) return url;
  return registrableDomain(absolute.href) === registrableDomain(url) ? absolute.href : url;
}

function hasContact({ emails, phones, profiles }: ContactCard): boolean {
  return emails.length + phones.length + profiles.length > 0;
}
