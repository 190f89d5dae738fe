import {
  childrenOf,
  type HtmlElement,
  type HtmlNode,
  type HtmlRoot,
  isElement,
  oneLine,
  parseHtmlTree,
  rawText,
} from './html-tree.ts';

/** A parsed page with its metadata. */
export interface OpenedPage {
  root: HtmlRoot;
  /** `name` or `property` in lower case → content; the first occurrence counts. */
  metas: ReadonlyMap<string, string>;
  /** All directives for robots in general and for Millrace. */
  robots: string[];
  title: string;
  /** The first heading. */
  heading: string;
  language: string;
  /** Unchanged; empty when there is none. */
  base: string;
  canonical: string;
  refresh: string;
  links: { href: string; rel: string }[];
  hasScripts: boolean;
}

/** Elements whose text and links are not the page's own. */
const CLOSED = new Set(['svg', 'template', 'script', 'style']);

/** Parses a page and visits each of its elements once. */
export function openPage(html: string): OpenedPage {
  const root = parseHtmlTree(html);
  const metas = new Map<string, string>();
  const page: OpenedPage = {
    root,
    metas,
    robots: [],
    title: '',
    heading: '',
    language: '',
    base: '',
    canonical: '',
    refresh: '',
    links: [],
    hasScripts: false,
  };
  const open: HtmlNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) {
      note(page, metas, node);
      if (CLOSED.has(node.name)) continue;
    }
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child && child.type !== 'text') open.push(child);
    }
  }
  return page;
}

function note(page: OpenedPage, metas: Map<string, string>, element: HtmlElement): void {
  const { attribs } = element;
  switch (element.name) {
    case 'a':
    case 'area':
      noteLink(page, attribs['href'], attribs['rel']);
      break;
    case 'frame':
    case 'iframe':
      noteLink(page, attribs['src'], '');
      break;
    case 'link':
      noteRelation(page, attribs);
      break;
    case 'meta':
      noteMeta(page, metas, element);
      break;
    case 'script':
      page.hasScripts = true;
      break;
    case 'title':
      page.title ||= oneLine(rawText(element));
      break;
    case 'h1':
      page.heading ||= oneLine(rawText(element));
      break;
    case 'html':
      page.language ||= oneLine(attribs['lang'] ?? '');
      break;
    case 'base':
      page.base ||= attribs['href'] ?? '';
  }
}

function noteLink(page: OpenedPage, href: string | undefined, rel: string | undefined): void {
  if (href !== undefined) page.links.push({ href, rel: rel ?? '' });
}

function noteRelation(page: OpenedPage, { rel = '', href }: Record<string, string>): void {
  const relation = rel.trim().toLowerCase();
  if (relation === 'canonical') page.canonical ||= href?.trim() ?? '';
  if (relation === 'next' || relation === 'prev') noteLink(page, href, '');
}

function noteMeta(
  page: OpenedPage,
  metas: Map<string, string>,
  { attribs, parent }: HtmlElement,
): void {
  const content = attribs['content'] ?? '';
  if (attribs['http-equiv']?.toLowerCase() === 'refresh') {
    // A `noscript` redirect does not apply to readers with scripts.
    const isForOthers = parent && isElement(parent) && parent.name === 'noscript';
    if (!isForOthers) page.refresh ||= content;
  }
  // Many pages confuse `name` and `property`.
  for (const name of [attribs['name'], attribs['property'], attribs['http-equiv']]) {
    const key = name?.trim().toLowerCase() ?? '';
    if (key === '') continue;
    if (key === 'robots' || key === 'millrace') page.robots.push(content);
    if (!metas.has(key)) metas.set(key, oneLine(content));
  }
}
