import { type HtmlElement, oneLine, rawText } from '#src/files/html-tree.ts';
import { normalizeEmail } from './normalize-email.ts';
import type { PageSource } from './page-source.ts';
import { columnOf, headerOf } from './table-columns.ts';
import { elementsOf } from './visible-page-text.ts';

const MAX_LENGTH = 200_000;
const MAX_EMAILS = 1_000;
/** "@acme.test" without anything before it: "All addresses end in @acme.test". */
const BARE_DOMAIN =
  /(?<![\p{L}\p{M}\p{N}._%+'-])@([\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4})/gu;
const LOCAL_PART = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,38}[\p{L}\p{N}])?@?$/u;
const MAX_DOMAINS = 50;

/** The domain that the page states once for all its addresses; null when there is none, or several. */
export function sharedDomainIn(text: string): string | null {
  const domains = new Set<string>();
  for (const { 1: domain = '' } of text.slice(0, MAX_LENGTH).matchAll(BARE_DOMAIN)) {
    domains.add(domain.toLowerCase());
    if (domains.size > MAX_DOMAINS) return null;
  }
  const [domain, ...others] = domains;
  return domain !== undefined && others.length === 0 && normalizeEmail(`a.b@${domain}`) !== null
    ? domain
    : null;
}

/** The addresses of a column that has only the part before the at sign: "bouda" below "E-mail (before @)". */
export function readColumnEmails({ page, mailDomain = null }: PageSource): string[] {
  const found: string[] = [];
  for (const element of elementsOf(page)) {
    if (element.name !== 'td' || found.length >= MAX_EMAILS) continue;
    const domain = domainOfColumn(element, mailDomain);
    const local = domain === null ? '' : oneLine(rawText(element).slice(0, 100));
    if (!LOCAL_PART.test(local)) continue;
    const email = normalizeEmail(`${local.replace(/@$/, '')}@${domain}`);
    if (email !== null) found.push(email);
  }
  return found;
}

function domainOfColumn(cell: HtmlElement, mailDomain: string | null): string | null {
  const header = headerOf(cell);
  if (header === null) return null;
  const inHeader = header.includes('@') ? sharedDomainIn(header) : null;
  if (inHeader !== null) return inHeader;
  return columnOf(cell) === 'email' || header.includes('@') ? mailDomain : null;
}
