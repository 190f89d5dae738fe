import { untilAborted } from './deadline.ts';

/** One step of one of the generators. */
export type Interleaved<T, R> =
  | { index: number; done: false; value: T }
  | { index: number; done: true; value: R };

type Settled<T, R> = Interleaved<T, R> | { index: number; error: unknown };

/**
 * Runs generators concurrently and passes on what each yields and returns, as it arrives. Each is at most one step
 * ahead of the consumer. When one throws or the consumer stops, the others are ended.
 */
export async function* interleave<T, R>(
  generators: readonly AsyncGenerator<T, R>[],
  signal: AbortSignal,
): AsyncGenerator<Interleaved<T, R>, void> {
  const pending = new Map<number, Promise<Settled<T, R>>>();
  const pull = (index: number, generator: AsyncGenerator<T, R>): void => {
    pending.set(index, settle(index, generator));
  };
  for (const [index, generator] of generators.entries()) pull(index, generator);
  try {
    while (pending.size > 0) {
      const step = await untilAborted(Promise.race(pending.values()), signal);
      pending.delete(step.index);
      if ('error' in step) throw step.error;
      yield step;
      const generator = generators[step.index];
      if (!step.done && generator) pull(step.index, generator);
    }
  } finally {
    // Not awaited: a hanging generator would also hang the consumer. Its signal ends it.
    for (const generator of generators) generator.return(NOTHING).catch(() => undefined);
  }
}

// The unused return value of a generator that is ended early.
const NOTHING = undefined as never;

async function settle<T, R>(
  index: number,
  generator: AsyncGenerator<T, R>,
): Promise<Settled<T, R>> {
  try {
    const { done, value } = await generator.next();
    return done === true ? { index, done, value } : { index, done: false, value };
  } catch (error) {
    return { index, error };
  }
}
