import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  oneLine,
} from '#src/files/html-tree.ts';
import type { PageLink } from './extracted-page.ts';
import type { PageSource } from './page-source.ts';

const MAX_LINKS = 2_000;
const MAX_URL_LENGTH = 2_000;
const MAX_TEXT_LENGTH = 200;
const UNREAD = new Set(['script', 'style', 'template', 'svg']);

/** The `http:` and `https:` links of a page in order, absolute, without duplicates, each with its first text. */
export function readPageLinks({ url, page }: PageSource): PageLink[] {
  const base = URL.parse(page.base, url)?.href ?? url;
  const links = new Map<string, PageLink>();
  const open: HtmlNode[] = [page.root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) {
      if (UNREAD.has(node.name)) continue;
      const href = hrefOf(node);
      const absolute = href === null ? null : absoluteUrl(href, base);
      if (absolute !== null && !links.get(absolute)?.text) {
        if (links.size >= MAX_LINKS && !links.has(absolute)) break;
        const role = links.get(absolute)?.role ?? roleOf(node);
        links.set(absolute, { url: absolute, text: textOf(node), ...(role && { role }) });
      }
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && child.type !== 'text') open.push(child);
    }
  }
  return [...links.values()];
}

const VCARD_TYPE = /^\s*text\/(?:x-)?(?:vcard|directory)\b/i;

function roleOf({ name, attribs }: HtmlElement): PageLink['role'] {
  if (name === 'frame' || name === 'iframe') return 'frame';
  const isCard =
    VCARD_TYPE.test(attribs['type'] ?? '') || /\.vcf\s*$/i.test(attribs['download'] ?? '');
  return isCard ? 'vcard' : undefined;
}

function hrefOf({ name, attribs }: HtmlElement): string | null {
  switch (name) {
    case 'a':
    case 'area':
      return attribs['href'] ?? null;
    case 'frame':
    case 'iframe':
      return attribs['src'] ?? null;
    default:
      return null;
  }
}

/** Without the fragment; null for links that do not lead to a page. */
function absoluteUrl(href: string, base: string): string | null {
  if (href.length > MAX_URL_LENGTH || /^\s*(?:#|(?!https?:)[a-z][a-z0-9+.-]*:)/i.test(href))
    return null;
  const url = URL.parse(href, base);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.hash = '';
  return url.href;
}

/** The text of a link, or its text for readers who cannot see its picture. */
function textOf(link: HtmlElement): string {
  const parts: string[] = [];
  let alternative = link.attribs['aria-label'] ?? link.attribs['title'] ?? '';
  let length = 0;
  const open: HtmlNode[] = [link];
  for (let node = open.pop(); node !== undefined && length < MAX_TEXT_LENGTH; node = open.pop()) {
    if (node.type === 'text') {
      parts.push(node.data.slice(0, MAX_TEXT_LENGTH));
      length += node.data.trim().length;
    }
    if (isElement(node)) {
      if (UNREAD.has(node.name)) continue;
      if (node.name === 'img') alternative ||= node.attribs['alt'] ?? '';
      // An unclosed link contains everything after it.
      if (node !== link && node.name === 'a') break;
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child) open.push(child);
    }
  }
  return (
    oneLine(parts.join(' ') || alternative).slice(0, MAX_TEXT_LENGTH) ||
    oneLine(alternative).slice(0, MAX_TEXT_LENGTH)
  );
}
