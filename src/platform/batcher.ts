import { setImmediate as nextTurn } from 'node:timers/promises';
import { detached } from './detached.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/** Event-loop turns without a new item after which no more items are expected. */
const QUIET_TURNS = 3;

/**
 * Natural batching: while one flush runs, callers queue; the next flush takes them all. No timers, so a lone caller
 * does not wait and a crowd shares one round trip.
 */
export class Batcher<Item, Result> {
  readonly #flush: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>;
  readonly #limits: { items: number; size: number };
  readonly #sizeOf: (item: Item) => number;
  readonly #gatherMs: number;
  #queue: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  /**
   * @param flush settles every item, in order; when it throws, every item of the flush fails
   * @param limits of one flush: number of items and their summed `sizeOf`
   * @param gatherMs maximum delay of a flush while more items arrive with every turn of the event loop
   */
  constructor(
    flush: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
    limits: { items: number; size: number },
    sizeOf: (item: Item) => number,
    gatherMs = 0,
  ) {
    this.#flush = flush;
    this.#limits = limits;
    this.#sizeOf = sizeOf;
    this.#gatherMs = gatherMs;
  }

  /** Resolves when the flush containing the item has committed. */
  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#running ??= detached(() => this.#drain());
    });
  }

  /** Resolves when nothing is queued or running. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gather();
      const batch = this.#take();
      try {
        const results = await this.#flush(batch.map((waiting) => waiting.item));
        batch.forEach((waiting, index) => settle(waiting, results[index]));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#running = null;
  }

  async #gather(): Promise<void> {
    // After one turn of the event loop, items from other connections, or from later lines of the same one, can join.
    // Without it, an embedded database, which never yields, would get one item per flush.
    await nextTurn();
    if (this.#gatherMs === 0) return;
    // Node accepts one connection per turn, so a crowd that connects at once arrives over many turns.
    const untilMs = performance.now() + this.#gatherMs;
    for (let quiet = 0, count = this.#queue.length; quiet < QUIET_TURNS;) {
      if (count >= this.#limits.items || performance.now() >= untilMs) return;
      await nextTurn();
      quiet = this.#queue.length === count ? quiet + 1 : 0;
      count = this.#queue.length;
    }
  }

  #take(): Waiting<Item, Result>[] {
    let size = 0;
    let count = 0;
    for (const { item } of this.#queue) {
      size += this.#sizeOf(item);
      if (count > 0 && (size > this.#limits.size || count >= this.#limits.items)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }
}

function settle<Item, Result>(
  waiting: Waiting<Item, Result>,
  result: PromiseSettledResult<Result> | undefined,
): void {
  if (result?.status === 'fulfilled') waiting.resolve(result.value);
  else
    waiting.reject(result?.reason ?? new Error('A flush settled fewer items than it was given.'));
}
