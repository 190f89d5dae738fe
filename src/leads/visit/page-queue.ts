import type { SitePage, SitePageKind } from './discover-pages.ts';
import { pageKey, plainAddress } from './page-key.ts';

export interface QueuedPage extends SitePage {
  /** Number of links from the page where the visit began. */
  depth: number;
}

/** Most sites state their location on one page; the rest of the visit is for people. */
const MAX_BY_KIND: Readonly<Record<SitePageKind, number>> = {
  start: 50,
  home: 1,
  imprint: 2,
  contact: 2,
  team: 4,
  about: 2,
  members: 3,
  vcard: 6,
  person: 6,
  member: 6,
  support: 2,
  privacy: 1,
  frame: 8,
  other: 6,
};

const ORDER: readonly SitePageKind[] = [
  'start',
  'home',
  'contact',
  'team',
  'members',
  'about',
  'imprint',
  'vcard',
  'person',
  'member',
  'support',
  'other',
  'privacy',
];
/** An imprint must by law name who is responsible, with a mail address and usually a phone number. */
const GERMAN_ORDER: readonly SitePageKind[] = [
  'start',
  'home',
  'imprint',
  'contact',
  'team',
  'members',
  'about',
  'vcard',
  'person',
  'member',
  'support',
  'other',
  'privacy',
];

/** The pages of one site still to be visited, the most promising first, without duplicates. */
export class PageQueue {
  private readonly waiting: QueuedPage[] = [];
  private readonly seen = new Set<string>();
  private readonly taken = new Map<SitePageKind, number>();

  /** Number of pages still to be visited. */
  get length(): number {
    return this.waiting.filter((page) => this.hasRoom(page.kind)).length;
  }

  /** The pages still to be visited that the site itself names. */
  named(): string[] {
    return this.waiting
      .filter(({ kind, isGuessed }) => isGuessed !== true && kind !== 'other' && this.hasRoom(kind))
      .map(({ url }) => url);
  }

  add(pages: readonly SitePage[], depth: number): void {
    for (const page of pages) {
      const url = plainAddress(page.url);
      if (!url || !this.mark(url)) continue;
      this.waiting.push({ ...page, depth });
    }
  }

  /** The key of an address that is not known yet; null for any other. */
  unknownKey(url: string): string | null {
    const address = plainAddress(url);
    const key = address ? pageKey(address) : null;
    return key === null || this.seen.has(key) ? null : key;
  }

  /**
   * Marks an address as known.
   * @returns whether it was new
   */
  mark(url: URL | string): boolean {
    const address = typeof url === 'string' ? plainAddress(url) : url;
    if (!address) return false;
    const key = pageKey(address);
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  has(...kinds: SitePageKind[]): boolean {
    return this.waiting.some(({ kind }) => kinds.includes(kind) && this.hasRoom(kind));
  }

  /** The next page to visit; null when none is left. */
  take(isGerman: boolean): QueuedPage | null {
    const order = isGerman ? GERMAN_ORDER : ORDER;
    const rank = ({ kind }: QueuedPage): number => order.indexOf(kind);
    const next = this.waiting
      .filter(({ kind }) => this.hasRoom(kind))
      // Stable: among equal pages, the one linked first comes first.
      .toSorted((a, b) => rank(a) - rank(b) || a.depth - b.depth || b.share - a.share)[0];
    if (!next) return null;
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.taken.set(next.kind, (this.taken.get(next.kind) ?? 0) + 1);
    return next;
  }

  private hasRoom(kind: SitePageKind): boolean {
    return (this.taken.get(kind) ?? 0) < MAX_BY_KIND[kind];
  }
}
