import type { AnyFeed } from 'feedsmith';
import type { StoredOwner } from '#src/tables/documents.ts';

type FeedOf<Format extends AnyFeed['format']> = Extract<AnyFeed, { format: Format }>['feed'];

/** An item as its format states it; missing fields are empty. */
export interface RawItem {
  guid: string;
  link: string;
  title: string;
  content: string;
  /** Null: unknown. */
  isHtml: boolean | null;
  authors: StoredOwner[];
  categories: string[];
  /** The time of change first. */
  dates: string[];
}

/** The fields that the formats share. */
export interface AtomFields {
  title: string;
  items: RawItem[];
  next: string | null;
}

interface FeedLink {
  rel?: string;
  href?: unknown;
}

export function fromAtom(feed: FeedOf<'atom'>): AtomFields {
  return {
    title: feed.title?.value ?? '',
    next: olderPage(feed.links),
    items: (feed.entries ?? []).map((entry) => ({
      guid: entry.id ?? '',
      link: hrefOf(entry.links, ['alternate', undefined]) ?? entry.content?.src ?? '',
      title: entry.title?.value || otherTitle(entry),
      content: entry.content?.value || entry.summary?.value || otherText(entry),
      isHtml:
        (entry.content?.value ? entry.content : entry.summary)?.type === 'text' ? false : null,
      authors: (entry.authors ?? feed.authors ?? []).flatMap(({ name, email }) =>
        ownerOf(name, email),
      ),
      categories: (entry.categories ?? []).map(({ label, term }) => label ?? term ?? ''),
      dates: present(entry.updated, entry.published),
    })),
  };
}

export function fromRss(feed: FeedOf<'rss'>): AtomFields {
  return {
    title: feed.title ?? '',
    next: olderPage(feed.atom?.links),
    items: (feed.items ?? []).map((item) => ({
      guid: item.guid?.value ?? '',
      link: item.link ?? hrefOf(item.atom?.links, ['alternate', undefined]) ?? '',
      title: item.title || otherTitle(item),
      content: item.content?.encoded || item.description || otherText(item),
      isHtml: null,
      authors: [
        ...(item.authors ?? []).flatMap(({ name, email }) => ownerOf(name, email)),
        ...(item.dc?.creators ?? []).flatMap((creator) => ownerOf(creator, undefined)),
      ],
      categories: (item.categories ?? []).map(({ name }) => name ?? ''),
      dates: present(item.atom?.updated, item.pubDate, item.dc?.dates?.[0]),
    })),
  };
}

export function fromRdf(feed: FeedOf<'rdf'>): AtomFields {
  return {
    title: feed.title ?? '',
    next: olderPage(feed.atom?.links),
    items: (feed.items ?? []).map((item) => ({
      guid: item.rdf?.about ?? '',
      link: item.link ?? '',
      title: item.title || otherTitle(item),
      content: item.content?.encoded || item.description || otherText(item),
      isHtml: null,
      authors: (item.dc?.creators ?? []).flatMap((creator) => ownerOf(creator, undefined)),
      categories: item.dc?.subjects ?? [],
      dates: present(item.dc?.dates?.[0]),
    })),
  };
}

export function fromJson(feed: FeedOf<'json'>): AtomFields {
  return {
    title: feed.title ?? '',
    next: feed.next_url ?? null,
    items: (feed.items ?? []).map((item) => ({
      guid: item.id ?? '',
      link: item.url ?? item.external_url ?? '',
      title: item.title ?? '',
      content: item.content_html || item.content_text || item.summary || '',
      isHtml: Boolean(item.content_html),
      authors: (item.authors ?? feed.authors ?? []).flatMap(({ name }) => ownerOf(name, undefined)),
      categories: item.tags ?? [],
      dates: present(item.date_modified, item.date_published),
    })),
  };
}

interface Words {
  value?: string | undefined;
}

/** https://www.rssboard.org/media-rss: an item, its groups, and the contents of both have the same fields. */
interface Media {
  title?: Words;
  description?: Words;
  texts?: Words[];
  groups?: Media[];
  contents?: Media[];
}

/** Elements of other vocabularies, which many feeds use instead of their format's own. */
interface OtherElements {
  /** https://www.dublincore.org/specifications/dublin-core/dcmi-terms/ */
  dc?: { titles?: string[]; descriptions?: string[] };
  dcterms?: { titles?: string[]; descriptions?: string[]; abstracts?: string[] };
  /** https://help.apple.com/itc/podcasts_connect/#/itcb54353390 */
  itunes?: { title?: string; summary?: string; subtitle?: string };
  media?: Media;
}

function otherText({ dc, dcterms, itunes, media }: OtherElements): string {
  const parts = partsOf(media);
  return firstOf(
    dc?.descriptions?.[0],
    dcterms?.abstracts?.[0],
    dcterms?.descriptions?.[0],
    itunes?.summary,
    itunes?.subtitle,
    ...parts.map(({ description }) => description?.value),
    ...parts.map(({ texts }) => texts?.map(({ value = '' }) => value).join('\n')),
  );
}

function otherTitle({ dc, dcterms, itunes, media }: OtherElements): string {
  const ofMedia = partsOf(media).map(({ title }) => title?.value);
  return firstOf(dc?.titles?.[0], dcterms?.titles?.[0], itunes?.title, ...ofMedia);
}

function partsOf(media: Media | undefined): Media[] {
  if (!media) return [];
  const groups = [media, ...(media.groups ?? [])];
  return groups.flatMap((group) => [group, ...(group.contents ?? [])]);
}

function firstOf(...texts: (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text.trim() !== '') ?? '';
}

/** Paged feeds (RFC 5005 §3) and archives (§4) both link to older items. */
function olderPage(links: readonly FeedLink[] | undefined): string | null {
  return hrefOf(links, ['next', 'prev-archive']) ?? null;
}

function hrefOf(
  links: readonly FeedLink[] | undefined,
  rels: readonly (string | undefined)[],
): string | undefined {
  const href = links?.find(({ rel }) => rels.includes(rel))?.href;
  return typeof href === 'string' ? href : undefined;
}

function ownerOf(name: string | undefined, email: string | undefined): StoredOwner[] {
  return name || email ? [{ display_name: name ?? null, email: email ?? null }] : [];
}

function present(...dates: (string | undefined)[]): string[] {
  return dates.filter((date) => date !== undefined);
}
