import { load } from 'cheerio';
import { type AnyFeed, parseFeed } from 'feedsmith';
import { visibleText } from '#src/documents/html-text.ts';
import { parseHtmlTree } from '#src/files/html-tree.ts';
import { renderMarkdown } from '#src/files/render-markdown.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { StoredOwner } from '#src/tables/documents.ts';
import {
  type AtomFields,
  fromAtom,
  fromJson,
  fromRdf,
  fromRss,
  type RawItem,
} from './feed-formats.ts';
import { dateOf, type NamedItem, nameItems } from './name-items.ts';
import { hashOf } from '#src/connectors/kinds/web/page-address.ts';
import { withoutLastComments } from '#src/connectors/source/without-last-comments.ts';

export interface FeedItem {
  /** The feed's own id, or a substitute: the key of the item's memory. */
  key: string;
  /** Its document's id. */
  id: string;
  link: string | null;
  title: string;
  /** Markdown. */
  text: string;
  authors: StoredOwner[];
  categories: string[];
  updatedAt: Date | null;
}

export interface Feed {
  title: string;
  items: FeedItem[];
  /** Keys of items that the feed declares deleted (RFC 6721). */
  deleted: string[];
  /** The page with older items (RFC 5005), or JSON Feed's `next_url`. */
  next: string | null;
}

const MAX_TITLE_LENGTH = 120;
const NOT_CONTENT = new Set(['script', 'style', 'iframe', 'form']);
/** A title is one line; anything longer is not worth parsing. */
const MAX_TITLE_HTML = 2_000;
/** Every repetition is bounded, because feeds have any length. */
const DELETED =
  /<(?:\w{1,50}:)?deleted-entry\s[^<>]{0,1000}?\bref\s{0,20}=\s{0,20}(["'])([^<>"']{0,2000})\1/g;

/**
 * Reads RSS 0.9x, 1.0 and 2.0 (https://www.rssboard.org/rss-specification, https://web.resource.org/rss/1.0/spec),
 * Atom (RFC 4287) with its paging (RFC 5005) and tombstones (RFC 6721), and JSON Feed
 * (https://www.jsonfeed.org/version/1.1/).
 * @param url where the feed was found; relative links are resolved against it
 * @returns null when it is not a feed, or was cut off
 */
export function readFeed(text: string, url: string): Feed | null {
  const parsed = parse(text);
  if (parsed === null) return null;
  const fields = fieldsOf(parsed);
  const next = fields.next === null ? null : URL.parse(fields.next, url);
  return {
    title: oneLine(fields.title),
    items: nameItems(fields.items, url).map((named) => toItem(named, url)),
    deleted: Array.from(text.matchAll(DELETED), ([, , ref = '']) =>
      hashOf(load(ref, null, false).text().trim()),
    ),
    next: next && /^https?:$/.test(next.protocol) ? next.href : null,
  };
}

function parse(text: string): AnyFeed | null {
  // XML parsers that tolerate a missing end would silently lose the remaining items.
  if (!text.trimStart().startsWith('{') && !isComplete(text)) return null;
  try {
    return parseFeed(text);
  } catch {
    return null;
  }
}

/** Whether the text ends with the end of a feed. */
function isComplete(text: string): boolean {
  return /<\/(?:\w{1,50}:)?(?:rss|feed|rdf)\s{0,50}>$/i.test(withoutLastComments(text).slice(-120));
}

function fieldsOf(parsed: AnyFeed): AtomFields {
  switch (parsed.format) {
    case 'atom':
      return fromAtom(parsed.feed);
    case 'rss':
      return fromRss(parsed.feed);
    case 'rdf':
      return fromRdf(parsed.feed);
    case 'json':
      return fromJson(parsed.feed);
  }
}

function toItem({ raw, key, id, link }: NamedItem, url: string): FeedItem {
  const ownTitle = oneLine(plain(raw.title));
  // A title alone is enough.
  const text = textOf(raw) || ownTitle;
  const date = dateOf(raw);
  return {
    key,
    id,
    link,
    title: ownTitle || firstLine(text) || link || url,
    text,
    authors: raw.authors,
    categories: [...new Set(raw.categories.map(oneLine).filter(Boolean))],
    updatedAt: date === null ? null : new Date(date),
  };
}

/** Descriptions are HTML or plain text, without saying which. */
function textOf({ content, isHtml }: RawItem): string {
  const looksLikeHtml = /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+);/i.test(content);
  if (isHtml === false || !looksLikeHtml) return content.trim();
  const isLeftOut = ({ name }: { name: string }): boolean => NOT_CONTENT.has(name);
  try {
    return renderMarkdown(parseHtmlTree(content).children, { isLeftOut, keepsLinks: false });
  } catch (error) {
    if (error instanceof GiveUp) return visibleText(content);
    throw error;
  }
}

function plain(title: string): string {
  if (!/[<&]/.test(title)) return title;
  return title.length > MAX_TITLE_HTML ? visibleText(title) : load(title, null, false).text();
}

function firstLine(text: string): string {
  const line = oneLine(text.split('\n', 1)[0] ?? '').replace(/^#+ /, '');
  return line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH)}…` : line;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
