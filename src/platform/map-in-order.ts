/**
 * Runs `work` for the items of a stream, up to `limit` at once, and yields the results in item order, each as soon as
 * it and all earlier ones are available. Stops reading while `limit` results wait for the consumer, so a slow reader
 * slows the writer and memory stays bounded. `work` must not reject. If the source fails, the results already started
 * are yielded before its error.
 * @param drop gets an item that was read when the consumer stopped early, and that no work is done for
 */
export async function* mapInOrder<Item, Result>(
  source: AsyncIterable<Item>,
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
  drop: (item: Item) => void = () => undefined,
): AsyncGenerator<Result, void> {
  const begun: Promise<Result>[] = [];
  const iterator = source[Symbol.asyncIterator]();
  let index = 0;
  let next: Promise<IteratorResult<Item>> | null = iterator.next();
  next.catch(() => undefined); // observed below, perhaps after earlier results
  try {
    while (next !== null || begun.length > 0) {
      const arrived = await nextArrival(next, begun, limit);
      if (arrived === 'result') {
        const [result] = begun.splice(0, 1);
        if (result) yield await result;
        continue;
      }
      if (arrived.done) next = null;
      else {
        begun.push(work(arrived.value, index));
        index += 1;
        next = iterator.next();
        next.catch(() => undefined);
      }
    }
  } finally {
    await iterator.return?.();
    const unused = await next?.catch(() => null);
    if (unused && !unused.done) drop(unused.value);
  }
}

/** The oldest result or the next item, whichever comes first; only results while `limit` are in progress. */
async function nextArrival<Item, Result>(
  next: Promise<IteratorResult<Item>> | null,
  begun: Promise<Result>[],
  limit: number,
): Promise<'result' | IteratorResult<Item>> {
  const oldest = begun[0]?.then((): 'result' => 'result');
  if (next === null || begun.length >= limit) return oldest ?? { done: true, value: undefined };
  // After an error of the source, results already started are still delivered.
  const item = begun.length > 0 ? next.catch((error: unknown) => settleFirst(begun, error)) : next;
  return oldest ? Promise.race([oldest, item]) : item;
}

async function settleFirst(begun: Promise<unknown>[], error: unknown): Promise<'result'> {
  if (begun.length === 0) throw error;
  await begun[0];
  return 'result';
}
