import { type HtmlElement, type HtmlNode, parseHtmlTree } from '#src/files/html-tree.ts';
import { readCloudflareEmails } from './cloudflare-email.ts';
import type { ContactCard } from './contact-card.ts';
import { linksIn } from './links-in.ts';
import { readContactLinks } from './contact-links.ts';
import { readObfuscatedEmails } from './obfuscated-email.ts';
import type { PageSource } from './page-source.ts';
import { readProfileLinks } from './profile-links.ts';
import { readVisibleText } from './visible-text.ts';

/** The contacts in a part of a page, extracted like those of a whole page. */
export function contactsIn(
  nodes: readonly HtmlNode[],
  source: PageSource,
  styles: readonly HtmlElement[],
): Pick<ContactCard, 'emails' | 'phones' | 'profiles'> {
  const part = partOf(nodes, source, styles);
  const cards = [
    ...readContactLinks(part),
    ...readCloudflareEmails(part),
    ...readObfuscatedEmails(part),
    ...readVisibleText(part),
    ...readProfileLinks(part),
  ];
  return {
    emails: [...new Set(cards.flatMap(({ emails }) => emails))],
    phones: [...new Set(cards.flatMap(({ phones }) => phones))],
    profiles: [...new Set(cards.flatMap(({ profiles }) => profiles))],
  };
}

/** Puts a new root above the nodes, which also stay in place in the page. */
function partOf(
  nodes: readonly HtmlNode[],
  source: PageSource,
  styles: readonly HtmlElement[],
): PageSource {
  const root = parseHtmlTree('');
  root.children = [...styles, ...nodes].filter((node) => node.type !== 'root');
  return {
    ...source,
    html: '',
    page: { ...source.page, root, metas: new Map(), links: linksIn(nodes) },
  };
}
