import type { HtmlElement, HtmlNode } from '#src/files/html-tree.ts';
import { numberBehindButton } from './contact-links.ts';
import { absolute, baseOf } from './element-value.ts';
import { emailsOfLine } from './line-emails.ts';
import { normalizeEmail } from './normalize-email.ts';
import { areDomainsAlike, domainOfEmail, domainOfSite } from './own-domain.ts';
import { linkAround, type PageLine, type PageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { elementsOf } from './visible-page-text.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';

/** A place on a page that looks like a contact. Hints are cheap to find; only the relevant ones are read in full. */
export interface ContactHint {
  node: HtmlNode;
  kind: 'email' | 'phone' | 'site';
  /** The domain of the address or web site, unless it is the page's own. */
  foreign: string | null;
  /** The web site. */
  url: string | null;
}

const MAX_HINTS = 6_000;
const LONGEST_LINE = 400;
const LONGEST_HREF = 2_000;
const NUMBER = /\d[\d ()./-]{5,}\d/;
/** A web site written as text. */
const WRITTEN_SITE =
  /(?<![@\w.-])(?:https?:\/\/)?www\.[\p{L}\p{N}-]{1,60}(?:\.[\p{L}\p{N}-]{1,60}){1,4}/iu;

type ForeignTest = (domain: string | null) => string | null;

/** Finds addresses, phone numbers and other organisations' web sites on a page, in no order. */
export function contactHints(source: PageSource, { lines }: PageLines): ContactHint[] {
  const base = baseOf(source);
  const foreignOf = foreignTest(source.url);
  const hints: ContactHint[] = [];
  for (const element of elementsOf(source.page)) {
    if (hints.length >= MAX_HINTS) break;
    const hint = hintOfLink(element, base, foreignOf);
    if (hint) hints.push(hint);
  }
  for (const line of lines) {
    if (hints.length >= MAX_HINTS) break;
    hints.push(...hintsOfLine(line, base, foreignOf));
  }
  return hints;
}

/** Returns foreign domains; null for the site's own, and for shared ones such as mail providers'. */
function foreignTest(url: string): ForeignTest {
  const site = registrableDomain(url) ?? '';
  return (domain) => (domain === null || areDomainsAlike(domain, site) ? null : domain);
}

function hintOfLink(
  element: HtmlElement,
  base: string,
  foreignOf: ForeignTest,
): ContactHint | null {
  const { attribs } = element;
  const href = attribs['href']?.trim() ?? '';
  const isHidden = attribs['data-cfemail'] !== undefined || href.includes('/email-protection#');
  if (isHidden) return { node: element, kind: 'email', foreign: null, url: null };
  if (numberBehindButton(element) !== undefined) {
    return { node: element, kind: 'phone', foreign: null, url: null };
  }
  if (href === '' || href.length > LONGEST_HREF || element.name === 'link') return null;
  if (/^mailto:/i.test(href)) {
    const email = normalizeEmail(href);
    const foreign = email === null ? null : foreignOf(domainOfEmail(email));
    return { node: element, kind: 'email', foreign, url: null };
  }
  if (/^(?:tel|callto):/i.test(href)) {
    return { node: element, kind: 'phone', foreign: null, url: null };
  }
  const url = absolute(href, base);
  const foreign = foreignOf(domainOfSite(url));
  return foreign === null ? null : { node: element, kind: 'site', foreign, url };
}

function hintsOfLine(line: PageLine, base: string, foreignOf: ForeignTest): ContactHint[] {
  const { node } = line;
  const text = line.text.slice(0, LONGEST_LINE);
  const hints = emailsOfLine(line).map((email): ContactHint => {
    return { node, kind: 'email', foreign: foreignOf(domainOfEmail(email)), url: null };
  });
  if (NUMBER.test(text)) hints.push({ node, kind: 'phone', foreign: null, url: null });
  if (!text.includes('www.') || line.elements.some((one) => linkAround(one) !== null)) return hints;
  const written = WRITTEN_SITE.exec(text)?.[0];
  if (written === undefined) return hints;
  const url = absolute(/^https?:/i.test(written) ? written : `https://${written}`, base);
  const foreign = foreignOf(domainOfSite(url));
  if (foreign !== null) hints.push({ node, kind: 'site', foreign, url });
  return hints;
}
