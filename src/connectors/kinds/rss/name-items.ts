import type { RawItem } from './feed-formats.ts';
import { hashOf, readLink } from '#src/connectors/kinds/web/page-address.ts';

const TIME = /\d:\d\d/;
/** ISO 8601 dates, which `Date` already reads as UTC. */
const DATE_ONLY = /^\d{4}(?:-\d\d){0,2}$/;
/** RFC 3339 §5.6 and RFC 822 §5.1. */
const ZONE = /(?:\d\s?Z|\s(?:[A-IK-Z]|UTC?|GMT|[ECMP][SD]T)|[+-]\d\d:?\d\d)(?:\s*\([^()]*\))?$/i;

export interface NamedItem {
  raw: RawItem;
  /** The feed's own id, or a substitute. */
  key: string;
  /** Its document's id. */
  id: string;
  link: string | null;
}

/**
 * Identifies the items of a feed: by their own ids, else by their links, else by their content. An id or link that
 * several items share, such as the page of a change log, does not identify any of them.
 */
export function nameItems(items: readonly RawItem[], url: string): NamedItem[] {
  const found = items.map((raw) => ({
    raw,
    guid: raw.guid.trim(),
    link: webAddress(raw.link, url),
  }));
  const isOfMany = sharedBy(found.map(({ guid, link }) => [guid, link ?? '']));
  const named = found.map(({ raw, guid, link }) => {
    const own = isOfMany.has(guid) ? '' : guid;
    return { raw, link, own, address: webAddress(own, null) ?? link };
  });
  const contents = (raw: RawItem): string =>
    JSON.stringify([raw.title || raw.content, dateOf(raw)]);
  const nameOf = ({ raw, own }: (typeof named)[number]): string => own || contents(raw);
  const isShared = sharedBy(named.map((item) => [item.address ?? '', nameOf(item)]));
  return named.map((item) => {
    const { raw, link, own, address } = item;
    const isAlone = address !== null && !isShared.has(address);
    const name = own || (isAlone ? address : JSON.stringify([address, contents(raw)]));
    const fragment = encodeURI(own) || hashOf(name);
    const id = isAlone ? address : `${(address ?? url).replace(/#.*$/, '')}#${fragment}`;
    return { raw, key: hashOf(name), id, link };
  });
}

/** The first parts that occur with several second parts. */
function sharedBy(pairs: readonly (readonly [string, string])[]): Set<string> {
  const first = new Map<string, string>();
  const shared = new Set<string>();
  for (const [one, other] of pairs) {
    const before = first.get(one);
    if (before === undefined) first.set(one, other);
    else if (before !== other) shared.add(one);
  }
  return shared;
}

/** Milliseconds since 1970; null without a readable date. */
export function dateOf({ dates }: RawItem): number | null {
  return dates.map(parseDate).find((ms) => !Number.isNaN(ms)) ?? null;
}

/** A time without a zone is read as UTC, wherever the service runs. */
function parseDate(text: string): number {
  const date = text.trim();
  if (!TIME.test(date)) return Date.parse(DATE_ONLY.test(date) ? date : `${date} UTC`);
  return Date.parse(ZONE.test(date) ? date : `${date}${/\dT\d/i.test(date) ? 'Z' : ' UTC'}`);
}

/** With its fragment: all entries of a change log may be on one page. */
function webAddress(text: string, base: string | null): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || (base === null && !/^https?:\/\//i.test(trimmed))) return null;
  const link = readLink(trimmed, base ?? trimmed);
  const { hash = '' } = URL.parse(trimmed, base ?? undefined) ?? {};
  return link && link.href + hash;
}
