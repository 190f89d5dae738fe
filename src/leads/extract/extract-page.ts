import { openPage, type OpenedPage } from '#src/files/open-page.ts';
import type { ExtractedPage, PageToExtract } from './extracted-page.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { readCloudflareEmails } from './cloudflare-email.ts';
import type { ContactCard } from './contact-card.ts';
import { readContactLinks } from './contact-links.ts';
import { countryCodeOf } from './country-code.ts';
import { foreignContacts } from './foreign-contacts.ts';
import { readHCards } from './h-card.ts';
import { readJsonLd } from './json-ld.ts';
import { readMicrodata } from './microdata.ts';
import { readObfuscatedEmails } from './obfuscated-email.ts';
import { readPageMeta, siteNameOf } from './page-meta.ts';
import { readPageLines } from './page-lines.ts';
import { readPageLinks } from './page-links.ts';
import type { PageSource } from './page-source.ts';
import { readProfileLinks } from './profile-links.ts';
import { readRdfa } from './rdfa.ts';
import { regionOf } from './region-of.ts';
import { signedNameOf } from './signed-name.ts';
import { readTeamCards } from './team-cards.ts';
import { readVCards } from './vcard.ts';
import { visiblePageText } from './visible-page-text.ts';
import { readVisibleText } from './visible-text.ts';

/** The rest is not read: no human-written page is this long. */
const MAX_HTML_LENGTH = 4 * 1024 * 1024;
const MAX_CARDS = 5_000;
const MAX_TITLE_LENGTH = 500;
/** A page with scripts and less text than this only shows a placeholder until they have run. */
const FEW_CHARACTERS = 200;

const TECHNIQUES: readonly ((source: PageSource) => ContactCard[])[] = [
  readJsonLd,
  readMicrodata,
  readRdfa,
  readHCards,
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
 * @throws GiveUp for HTML that no human has written
 */
export function extractPage({ url, html: written, kind }: PageToExtract): ExtractedPage {
  const html = written.slice(0, MAX_HTML_LENGTH);
  if (kind === 'vcard') return extractVCard(url, html);
  const page = openPage(html);
  const source = { url, html, page, region: regionOf({ url, language: page.language, page }) };
  const cards = readCards({ ...source, region: statedRegion(source) ?? source.region });
  return {
    url,
    canonicalUrl: canonicalUrlOf(page, url),
    title: page.title.slice(0, MAX_TITLE_LENGTH),
    siteName: siteNameOf(source),
    signedBy: signedNameOf(readPageLines(page.root)),
    language: /^[a-z]{2,3}(?![a-z])/.exec(page.language.toLowerCase())?.[0] ?? '',
    cards,
    links: readPageLinks(source),
    needsRendering: needsRendering(page, cards),
  };
}

function extractVCard(url: string, text: string): ExtractedPage {
  return {
    url,
    canonicalUrl: url,
    title: '',
    siteName: '',
    language: '',
    cards: readVCards(text, url).slice(0, MAX_CARDS),
    links: [],
    needsRendering: false,
  };
}

function readCards(source: PageSource): ContactCard[] {
  const cards = TECHNIQUES.flatMap((read) => cardsOr(read, source)).slice(0, MAX_CARDS);
  return withoutForeign(cards, source);
}

/** Drops loose contacts that the page attributes to another organisation. */
function withoutForeign(cards: readonly ContactCard[], source: PageSource): ContactCard[] {
  const { emails, phones } = foreignContacts(readPageLines(source.page.root), source);
  if (emails.size + phones.size === 0) return [...cards];
  return cards.flatMap((card) => {
    if (card.kind !== 'page') return [card];
    const own = {
      ...card,
      emails: card.emails.filter((email) => !emails.has(email)),
      phones: card.phones.filter((phone) => !phones.has(phone)),
    };
    const isLeft = own.emails.length + own.phones.length + own.profiles.length > 0;
    return isLeft ? [own] : [];
  });
}

/** One failing technique must not cost the findings of the others; the failure is not reported. */
function cardsOr(read: (source: PageSource) => ContactCard[], source: PageSource): ContactCard[] {
  try {
    return read(source);
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

function canonicalUrlOf({ canonical, base }: OpenedPage, url: string): string {
  const absolute = canonical === '' ? null : URL.parse(canonical, URL.parse(base, url) ?? url);
  if (!absolute || !/^https?:$/.test(absolute.protocol)) return url;
  return registrableDomain(absolute.href) === registrableDomain(url) ? absolute.href : url;
}

function needsRendering(page: OpenedPage, cards: readonly ContactCard[]): boolean {
  if (!page.hasScripts) return false;
  const hasContact = cards.some(
    ({ emails, phones, profiles }) => emails.length + phones.length + profiles.length > 0,
  );
  if (hasContact) return false;
  const text = visiblePageText(page).replace(/[\s\uE000-\uE002]+/g, ' ');
  return text.trim().length < FEW_CHARACTERS;
}
