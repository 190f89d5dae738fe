import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/**
 * Natural batching: while one flush runs, callers queue; the next flush takes them all. No timers,
 * so a lone caller waits for nothing and a crowd shares one round trip.
 */
export class Batcher<Item, Result> {
  readonly #flush: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>;
  readonly #limits: { items: number; size: number };
  readonly #sizeOf: (item: Item) => number;
  #queue: Waiting<Item, Result>[] = [];
  #running: Promise<void> | null = null;

  /**
   * @param flush settles every item, in order; when it throws, every item of the flush fails
   * @param limits of one flush: how many items, and their summed `sizeOf`
   */
  constructor(
    flush: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
    limits: { items: number; size: number },
    sizeOf: (item: Item) => number,
  ) {
    this.#flush = flush;
    this.#limits = limits;
    this.#sizeOf = sizeOf;
  }

  /** Resolves when the flush that took the item has committed. */
  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when nothing is queued or running any more. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // One turn of the event loop: what has arrived on other connections, or on later lines of the
      // same one, joins. Without it an embedded database, which never yields, is given one item a flush.
      await nextTurn();
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
