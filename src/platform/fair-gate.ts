import { createFairOrder } from './fair-order.ts';

/** Admits callers to a limited number of places, shared fairly among keys such as workspaces. */
export interface FairGate<Key> {
  /**
   * Resolves with a release function once a place is free. Callers of one key are admitted in order of arrival; among
   * keys, the one that has received least is next.
   * @throws the signal's reason when it is aborted first
   */
  enter(key: Key, options?: EnterOptions): Promise<Leave>;
}

/** Releases this many places; all that are left by default. */
export type Leave = (places?: number) => void;

export interface EnterOptions {
  /** The number of places it takes, at most those of a key; 1 by default. */
  places?: number;
  /** The caller's cost, in units of the gate's slice; 1 by default. */
  cost?: number;
  signal?: AbortSignal;
}

export interface FairGateLimits {
  places: number;
  /**
   * The most places that one key may hold, even if nobody else waits, so that a newcomer finds one free. By default all
   * but one.
   */
  placesOfKey?: number;
  /** The head start of a returning key: about the cost of one caller. 1 by default. */
  slice?: number;
}

interface Waiting {
  places: number;
  cost: number;
  admit(): void;
}

export function openFairGate<Key>({
  places,
  placesOfKey = Math.max(1, places - 1),
  slice = 1,
}: FairGateLimits): FairGate<Key> {
  const order = createFairOrder<Key>(slice);
  const waiting = new Map<Key, Set<Waiting>>();
  const taken = countPlaces<Key>(places, placesOfKey);

  const drop = (key: Key, one: Waiting): void => {
    const own = waiting.get(key);
    own?.delete(one);
    if (own?.size === 0) waiting.delete(key);
  };
  const admitOne = (): boolean => {
    const mayBeNext = [...waiting].filter(([key, [first]]) => taken.mayTake(key, first?.places));
    const [key] = order.next(mayBeNext.map(([one]) => one));
    if (key === undefined) return false;
    const [next] = waiting.get(key) ?? [];
    // It keeps the others waiting: those that need few places would pass it for ever.
    if (next === undefined || !taken.areFree(next.places)) return false;
    drop(key, next);
    taken.take(key, next.places);
    order.charge(key, next.cost);
    next.admit();
    return true;
  };
  const admitAll = (): void => {
    while (taken.areFree(1) && admitOne());
  };
  const leaving = (key: Key, held: number): Leave =>
    givingBack(held, (count) => {
      taken.giveBack(key, count);
      admitAll();
    });

  return {
    async enter(key, { places: wanted = 1, cost = 1, signal } = {}) {
      signal?.throwIfAborted();
      if (wanted > placesOfKey) throw new RangeError('No key may hold that many places.');
      const turn = Promise.withResolvers<void>();
      const own: Waiting = { places: wanted, cost, admit: turn.resolve };
      const abort = (): void => {
        drop(key, own);
        // An abort reason may be any value.
        turn.reject(signal?.reason as Error);
        admitAll();
      };
      waiting.set(key, (waiting.get(key) ?? new Set()).add(own));
      signal?.addEventListener('abort', abort);
      admitAll();
      await turn.promise.finally(() => signal?.removeEventListener('abort', abort));
      const leave = leaving(key, wanted);
      // The signal may have been aborted at the same moment as the admission.
      if (signal?.aborted) leave();
      signal?.throwIfAborted();
      return leave;
    },
  };
}

function givingBack(held: number, giveBack: (count: number) => void): Leave {
  let left = held;
  return (count = left) => {
    const given = Math.min(count, left);
    left -= given;
    giveBack(given);
  };
}

/** Counts taken places, in total and per key. */
function countPlaces<Key>(places: number, placesOfKey: number) {
  const held = new Map<Key, number>();
  let inside = 0;
  return {
    areFree: (count: number) => inside + count <= places,
    mayTake: (key: Key, count = 1) => (held.get(key) ?? 0) + count <= placesOfKey,
    take(key: Key, count: number): void {
      inside += count;
      held.set(key, (held.get(key) ?? 0) + count);
    },
    giveBack(key: Key, count: number): void {
      inside -= count;
      const left = (held.get(key) ?? 0) - count;
      if (left > 0) held.set(key, left);
      else held.delete(key);
    },
  };
}

/** Runs `work` once the gate admits it. */
export async function throughFairGate<Key, Result>(
  gate: FairGate<Key>,
  key: Key,
  options: EnterOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const leave = await gate.enter(key, options);
  try {
    return await work();
  } finally {
    leave();
  }
}
