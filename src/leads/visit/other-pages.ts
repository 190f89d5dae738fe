import type { SitePage } from './discover-pages.ts';
import type { PageQueue, QueuedPage } from './page-queue.ts';

/** Few of them are read. */
const MAX_OTHERS = 20;
/** A site with at most this many of them is small: they are read whatever else it names. */
const FEW_OTHERS = 6;
/** A site that names fewer pages than this hides its contacts elsewhere. */
export const ENOUGH_PAGES = 4;

/**
 * Top-level pages whose names give no hint. On a small site, any of them may have the contacts of a department, or
 * lead to those for another language.
 */
export class OtherPages {
  readonly #waiting = new Map<string, QueuedPage>();
  #isSmall = false;

  /** All of them on a small site; on others those at the top, because lists have their entries below. */
  #few(): QueuedPage[] {
    const all = [...this.#waiting.values()];
    if (all.length <= FEW_OTHERS) return all;
    const top = all.filter(
      ({ url }) => (URL.parse(url)?.pathname ?? '').split('/').filter(Boolean).length === 1,
    );
    return top.length <= FEW_OTHERS ? top : [];
  }

  note(pages: readonly SitePage[], depth: number, queue: PageQueue): void {
    for (const page of pages) {
      if (this.#waiting.size >= MAX_OTHERS) return;
      const key = queue.unknownKey(page.url);
      if (key !== null && !this.#waiting.has(key)) this.#waiting.set(key, { ...page, depth });
    }
  }

  /** Whether some are to be read once no better page is left. */
  areWanted(named: number): boolean {
    if (named < ENOUGH_PAGES) return this.#waiting.size > 0;
    return this.#few().length > 0;
  }

  /** Whether the visit goes on for them, although everything else was found. */
  isWorthMore(named: number, queue: PageQueue): boolean {
    return this.areWanted(named) || (this.#isSmall && queue.has('other'));
  }

  moveTo(queue: PageQueue): void {
    const few = this.#few();
    this.#isSmall = few.length > 0;
    for (const other of this.#isSmall ? few : this.#waiting.values())
      queue.add([other], other.depth);
    this.#waiting.clear();
  }
}
