import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  rawText,
} from '#src/files/html-tree.ts';
import { contactCard, type ContactCard, type Technique } from './contact-card.ts';
import { normalizeEmail } from './normalize-email.ts';
import { normalizePhone } from './normalize-phone.ts';
import type { PageSource } from './page-source.ts';
import { endsInFaxLabel } from './phone-labels.ts';
import { sourceOffsets } from './source-offset.ts';

const MAX_HREF_LENGTH = 4_000;
/** Distinct links per page. */
const MAX_LINKS = 3_000;
const CONTACT = /mailto|tel|callto|sms|whatsapp|wa\.me/i;
/** Length of the text kept from before a link. */
const TAIL_LENGTH = 60;
const NUMBER_KEYS = [
  'data-tel',
  'data-phone',
  'data-phone-number',
  'data-telephone',
  'data-telefon',
  'data-telefono',
  'data-telefone',
  'data-telefoon',
  'data-tlf',
  'data-mobile',
  'data-number-full',
];
const CLOSED = new Set(['script', 'style', 'template']);
const BLANK = /\s+/g;

interface Found {
  technique: Technique;
  emails: string[];
  phones: string[];
}

/** Addresses and numbers of `mailto:`, `tel:` and WhatsApp links. Links for sharing the page are ignored. */
export function readContactLinks(source: PageSource): ContactCard[] {
  const cards: ContactCard[] = [];
  const seen = new Set<string>();
  const offsetOf = sourceOffsets(source.html);
  const hrefs = new Set<string>();
  for (const { href, isFax } of linksOf(source)) {
    if (!CONTACT.test(href) || (!isFax && hrefs.has(href))) continue;
    if (hrefs.size >= MAX_LINKS) break;
    hrefs.add(href);
    const { technique, emails, phones } = isFax ? none : readLink(href, source.region);
    const offset = emails.length + phones.length > 0 ? offsetOf(href) : null;
    for (const email of emails) {
      if (seen.has(email)) continue;
      seen.add(email);
      cards.push(contactCard({ technique, kind: 'page', emails: [email], offset }));
    }
    for (const phone of phones) {
      if (seen.has(technique + phone)) continue;
      seen.add(technique + phone);
      cards.push(contactCard({ technique, kind: 'page', phones: [phone], offset }));
    }
  }
  return cards;
}

const none: Found = { technique: 'mailto', emails: [], phones: [] };

/** Links in page order, and whether a label marks a number as fax. */
function* linksOf({ page }: PageSource): Generator<{ href: string; isFax: boolean }> {
  let tail = '';
  const open: HtmlNode[] = [page.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'text') tail = (tail + node.data.slice(-TAIL_LENGTH)).slice(-TAIL_LENGTH);
    if (isElement(node)) {
      if (CLOSED.has(node.name)) continue;
      const isLink = node.name === 'a' || node.name === 'area';
      const href = (isLink ? node.attribs['href'] : undefined) ?? numberBehindButton(node);
      if (href !== undefined && href.length <= MAX_HREF_LENGTH) {
        const isPhone = /^\s*(?:tel|callto)/i.test(href);
        yield { href, isFax: isPhone && (endsInFaxLabel(tail) || saysFax(node)) };
      }
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child) open.push(child);
    }
  }
}

/** A number that an element shows when it is clicked, as a link. */
export function numberBehindButton({ attribs }: HtmlElement): string | undefined {
  const key = NUMBER_KEYS.find((one) => attribs[one] !== undefined);
  const written = key === undefined ? '' : (attribs[key] ?? '');
  return /^[\d\s()+/.-]{6,30}$/.test(written) ? `tel:${written}` : undefined;
}

function saysFax(link: HtmlNode): boolean {
  const text = rawText(link).slice(0, 200);
  return /^\s*(?:tele)?fax\b/i.test(text);
}

function readLink(written: string, region: string | null): Found {
  const href = written.trim().replace(/^https?:\/\/(?=(?:mailto|tel):)/i, '');
  const scheme = /^([a-z][a-z0-9+.-]{1,20})\s*:/i.exec(href);
  switch (scheme?.[1]?.toLowerCase() ?? '') {
    case 'mailto':
      return { ...none, emails: mailtoAddresses(href.slice(scheme?.[0].length)) };
    case 'tel':
    case 'callto':
    case 'sms': {
      const phone = normalizePhone(href.split('?', 1)[0] ?? '', region, 'marked');
      return { technique: 'tel-link', emails: [], phones: phone === null ? [] : [phone] };
    }
    case 'http':
    case 'https':
    case 'whatsapp':
    case '':
      return { technique: 'whatsapp', emails: [], phones: whatsappNumbers(href, region) };
    default:
      return none;
  }
}

/** RFC 6068: addresses separated by commas (in practice also semicolons), more in `to`; `cc` names someone else. */
function mailtoAddresses(rest: string): string[] {
  const question = rest.indexOf('?');
  const path = question === -1 ? rest : rest.slice(0, question);
  const query = question === -1 ? '' : rest.slice(question + 1);
  // `URLSearchParams` would decode a plus as a space.
  const to = new URLSearchParams(query.replaceAll('+', '%2B').replaceAll('&amp;', '&'));
  const more = [...to].filter(([name]) => name.toLowerCase() === 'to').map(([, value]) => value);
  return [path.replace(/^\/\//, ''), ...more]
    .flatMap((list) => list.split(/[,;]|%2c|%3b/i))
    .map((address) => normalizeEmail(address))
    .filter((email) => email !== null);
}

function whatsappNumbers(href: string, region: string | null): string[] {
  if (!/whatsapp|wa\.me/i.test(href)) return [];
  const isSchemeless = /^(?:wa\.me|(?:api\.|web\.)?whatsapp\.com)\//i.test(href);
  const url = URL.parse(
    (isSchemeless ? `https://${href}` : href).replace(BLANK, '%20'),
    'https://nowhere.invalid',
  );
  const number = url ? (whatsappNumber(url) ?? '').trim() : '';
  const digits = number.replace(/^(?:\+|00)/, '');
  const phone =
    normalizePhone(`+${digits}`, null, 'marked') ?? normalizePhone(number, region, 'marked');
  return phone === null ? [] : [phone];
}

function whatsappNumber({ protocol, hostname, pathname, searchParams }: URL): string | null {
  if (/^(?:www\.)?wa\.me$/.test(hostname)) {
    const written = pathname.slice(1).replace(/\/$/, '').replace(/%2B/gi, '+').replace(/%20/g, ' ');
    return /^[+\d\s().-]+$/.test(written) ? written : searchParams.get('phone');
  }
  const isSend = protocol === 'whatsapp:' || /^(?:(?:api|web|www)\.)?whatsapp\.com$/.test(hostname);
  return isSend ? searchParams.get('phone') : null;
}
