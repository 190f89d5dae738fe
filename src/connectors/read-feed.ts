import { load } from 'cheerio';
import { type AnyFeed, parseFeed } from 'feedsmith';
import { visibleText } from '#src/documents/html-text.ts';
import { htmlToMarkdown } from '#src/files/html-to-markdown.ts';
import { loadHtml } from '#src/files/load-html.ts';
import { GiveUp } from '#src/platform/errors.ts';
import type { StoredOwner } from '#src/tables.ts';
import {
  type AtomFields,
  fromAtom,
  fromJson,
  fromRdf,
  fromRss,
  type RawItem,
} from './feed-formats.ts';
import { hashOf, readLink } from './page-address.ts';

export interface FeedItem {
  /** As the feed names it, or what stands for a name: the key of what is remembered of it. */
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
/** Titles are a line; what is longer is not worth a parser. */
const MAX_TITLE_HTML = 2_000;
/** Between the comments after a feed. */
const MAX_BLANKS = 1_000;
/** Bounded in every part: feeds are as long as their authors like. */
const DELETED =
  /<(?:\w{1,50}:)?deleted-entry\s[^<>]{0,1000}?\bref\s{0,20}=\s{0,20}(["'])([^<>"']{0,2000})\1/g;

/**
 * Reads RSS 0.9x, 1.0 and 2.0 (https://www.rssboard.org/rss-specification, https://web.resource.org/rss/1.0/spec),
 * Atom (RFC 4287) with its paging (RFC 5005) and tombstones (RFC 6721), and JSON Feed
 * (https://www.jsonfeed.org/version/1.1/).
 * @param url where the feed was found; relative links in it start there
 * @returns null when it is no feed, or was cut off
 */
export function readFeed(text: string, url: string): Feed | null {
  const parsed = parse(text);
  if (parsed === null) return null;
  const fields = fieldsOf(parsed);
  const next = fields.next === null ? null : URL.parse(fields.next, url);
  return {
    title: oneLine(fields.title),
    items: fields.items.map((item) => toItem(item, url)),
    deleted: Array.from(text.matchAll(DELETED), ([, , ref = '']) =>
      hashOf(load(ref, null, false).text().trim()),
    ),
    next: next && /^https?:$/.test(next.protocol) ? next.href : null,
  };
}

function parse(text: string): AnyFeed | null {
  // XML parsers that forgive a missing end would lose the rest of the items without a word.
  if (!text.trimStart().startsWith('{') && !endsWhole(text)) return null;
  try {
    return parseFeed(text);
  } catch {
    return null;
  }
}

/** Whether it ends with the end of a feed, comments after it aside. */
function endsWhole(text: string): boolean {
  let end = text.trimEnd().length;
  while (text.startsWith('-->', end - 3)) {
    const comment = text.lastIndexOf('<!--', end - 3);
    if (comment === -1) return false;
    end = text.slice(Math.max(0, comment - MAX_BLANKS), comment).trimEnd().length;
    end += Math.max(0, comment - MAX_BLANKS);
  }
  return /<\/(?:\w{1,50}:)?(?:rss|feed|rdf)\s{0,50}>$/i.test(
    text.slice(Math.max(0, end - 120), end),
  );
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

function toItem(raw: RawItem, url: string): FeedItem {
  const link = webAddress(raw.link, url);
  const text = textOf(raw);
  const guid = raw.guid.trim();
  const date = raw.dates.map((date) => Date.parse(date)).find((ms) => !Number.isNaN(ms));
  const named = guid || (link ?? '') || JSON.stringify([raw.title, date ?? null, text]);
  return {
    key: hashOf(named),
    id: webAddress(guid, null) ?? link ?? `${url}#${guid || hashOf(named)}`,
    link,
    title: oneLine(plain(raw.title)) || firstLine(text) || link || url,
    text,
    authors: raw.authors,
    categories: [...new Set(raw.categories.map(oneLine).filter(Boolean))],
    updatedAt: date === undefined ? null : new Date(date),
  };
}

function webAddress(text: string, base: string | null): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || (base === null && !/^https?:\/\//i.test(trimmed))) return null;
  return readLink(trimmed, base ?? trimmed)?.href ?? null;
}

/** Descriptions are HTML or plain text, and do not say which. */
function textOf({ content, isHtml }: RawItem): string {
  const looksLikeHtml = /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+);/i.test(content);
  if (isHtml === false || !looksLikeHtml) return content.trim();
  try {
    const page = loadHtml(content);
    page('script, style, iframe, form').remove();
    page('a').each((_, element) => {
      page(element).replaceWith(page(element).contents());
    });
    return htmlToMarkdown(page('body').html() ?? '');
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
