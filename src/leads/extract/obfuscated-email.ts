import { type HtmlElement, rawText } from '#src/files/html-tree.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { attributeEmails } from './attribute-emails.ts';
import { readColumnEmails } from './column-emails.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { decodeEntities } from './decode-entities.ts';
import { ownDomainEmailOfCode, ownDomainEmails } from './own-domain-email.ts';
import type { PageSource } from './page-source.ts';
import { scanEmails } from './scan-emails.ts';
import { scriptStrings } from './script-strings.ts';
import { scanSpacedOut, scanSpelledOut } from './spelled-out-email.ts';
import { elementsOf, GAP, visiblePageText, withoutMarks } from './visible-page-text.ts';

const MAX_EMAILS = 500;
/** For all scripts of a page together. */
const MAX_SCRIPT_LENGTH = 300_000;
const MAX_REFERENCES_LENGTH = 200_000;
/** A script that builds an address contains one of these. */
const AT_SIGN =
  /@|\\x40|\\u0040|\\u\{0*40\}|\\100|%40|fromC(?:har|odeP)|atob|&#0*64;|&#x0*40;|&commat;/i;
const DATA_SCRIPT = /json|template|x-|importmap|speculation/i;

/** Addresses that a page shows to people but hides from crawlers. */
export function readObfuscatedEmails(source: PageSource): ContactCard[] {
  const text = visiblePageText(source.page);
  const emails = new Set<string>([
    ...scanEmails(text)
      .filter(({ isDisguised }) => isDisguised)
      .map(({ email }) => email),
    ...scanSpelledOut(text.replaceAll(GAP, ''), { siteDomain: registrableDomain(source.url) }),
    ...ownDomainEmails(withoutMarks(text), source.url),
    ...readColumnEmails(source),
    ...scanSpacedOut(text),
    ...escapedTwice(text),
    ...hiddenInMarkup(source),
  ]);
  return [...emails]
    .slice(0, MAX_EMAILS)
    .map((email) => contactCard({ technique: 'obfuscated', kind: 'page', emails: [email] }));
}

/** `&#105;` that is displayed as such. */
function escapedTwice(text: string): string[] {
  if (!/&(?:#\d|#x|commat;)/i.test(text)) return [];
  const lines = text.split('\n').filter((line) => /&(?:#|commat;)/i.test(line));
  const decoded = decodeEntities(lines.join('\n').slice(0, MAX_REFERENCES_LENGTH));
  return scanEmails(decoded).map(({ email }) => email);
}

function hiddenInMarkup({ page, url }: PageSource): string[] {
  const found: string[] = [];
  let scriptLength = 0;
  for (const element of elementsOf(page)) {
    found.push(...attributeEmails(element));
    for (const code of codeOf(element)) found.push(...ownDomainEmailOfCode(code, url));
    for (const script of scriptsOf(element)) {
      if (scriptLength + script.length > MAX_SCRIPT_LENGTH || !AT_SIGN.test(script)) continue;
      scriptLength += script.length;
      found.push(...scriptEmails(script));
    }
    if (found.length > MAX_EMAILS) break;
  }
  return found;
}

function scriptsOf(element: HtmlElement): string[] {
  const { attribs, name } = element;
  if (name === 'script') {
    const isCode = attribs['src'] === undefined && !DATA_SCRIPT.test(attribs['type'] ?? '');
    return isCode ? [rawText(element)] : [];
  }
  return codeOf(element);
}

/** The code of a link. */
function codeOf({ attribs }: HtmlElement): string[] {
  const href = attribs['href'] ?? '';
  const code = /^\s*javascript:/i.test(href) ? [href.replace(/^\s*javascript:/i, '')] : [];
  return attribs['onclick'] === undefined ? code : [...code, attribs['onclick']];
}

function scriptEmails(script: string): string[] {
  return scriptStrings(script).flatMap((text) => {
    const made = decodeEntities(text);
    // A script written out by another script.
    const inner = /fromCharCode|unescape\(|document\.write/.test(made) ? scriptStrings(made) : [];
    return [made, ...inner].flatMap((part) => scanEmails(asText(part)).map(({ email }) => email));
  });
}

/** The address in an HTML link that a script writes, and the link's text. */
function asText(html: string): string {
  return html.replace(/[<>"'=]|mailto:|%20/gi, ' ').replaceAll(/%40/g, '@');
}
