import { setImmediate as nextTurn } from 'node:timers/promises';
import { detached } from './detached.ts';
import { createFairOrder, type FairOrder } from './fair-order.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

export interface BatcherOptions<Item> {
  /** Maximum delay of a flush while more items keep arriving; none by default. */
  gatherMs?: number;
  /**
   * The owner of an item. When a flush cannot take all items, owners share it fairly by size. By default there is one
   * owner.
   */
  keyOf?: (item: Item) => string;
}

/** Event-loop turns without a new item after which no more items are expected. */
const QUIET_TURNS = 3;
/** Turns are this fraction of a full flush. */
const TURNS_PER_FLUSH = 16;

/**
 * Natural batching: while one flush runs, callers queue; the next flush takes them all. No timers, so a lone caller
 * does not wait and a crowd shares one round trip.
 */
export class Batcher<Item, Result> {
  readonly #flush: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>;
  readonly #limits: { items: number; size: number };
  readonly #sizeOf: (item: Item) => number;
  readonly #gatherMs: number;
  readonly #keyOf: (item: Item) => string;
  readonly #order: FairOrder<string>;
  readonly #queues = new Map<string, Waiting<Item, Result>[]>();
  #count = 0;
  #running: Promise<void> | null = null;

  /**
   * @param flush settles every item, in order; when it throws, every item of the flush fails
   * @param limits of one flush: number of items and their summed `sizeOf`
   */
  constructor(
    flush: (items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
    limits: { items: number; size: number },
    sizeOf: (item: Item) => number,
    { gatherMs = 0, keyOf = () => '' }: BatcherOptions<Item> = {},
  ) {
    this.#flush = flush;
    this.#limits = limits;
    this.#sizeOf = sizeOf;
    this.#gatherMs = gatherMs;
    this.#keyOf = keyOf;
    this.#order = createFairOrder(limits.size / TURNS_PER_FLUSH);
  }

  /** Resolves when the flush containing the item has committed. */
  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const key = this.#keyOf(item);
      const queue = this.#queues.get(key) ?? [];
      this.#queues.set(key, queue);
      queue.push({ item, resolve, reject });
      this.#count += 1;
      this.#running ??= detached(() => this.#drain());
    });
  }

  /** Resolves when nothing is queued or running. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#count > 0) {
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
    for (let quiet = 0, count = this.#count; quiet < QUIET_TURNS;) {
      if (count >= this.#limits.items || performance.now() >= untilMs) return;
      await nextTurn();
      quiet = this.#count === count ? quiet + 1 : 0;
      count = this.#count;
    }
  }

  #take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    let size = 0;
    while (this.#queues.size > 0) {
      for (const key of this.#order.next([...this.#queues.keys()])) {
        const [next] = this.#queues.get(key) ?? [];
        if (!next) throw new Error('A key without items is in the queue.');
        const cost = this.#sizeOf(next.item);
        size += cost;
        const isFull = size > this.#limits.size || batch.length >= this.#limits.items;
        if (batch.length > 0 && isFull) return batch;
        batch.push(next);
        this.#order.charge(key, cost);
        this.#dropFirst(key);
      }
    }
    return batch;
  }

  #dropFirst(key: string): void {
    const queue = this.#queues.get(key) ?? [];
    queue.shift();
    if (queue.length === 0) this.#queues.delete(key);
    this.#count -= 1;
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
