import { signal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, type Given, type Operation, type Reply } from './call.ts';
import { type ApiProblem, toProblem } from './problem.ts';

/** What is known of a resource. `data` stays while it is read again, also when that fails. */
export interface Known<Data> {
  readonly data: Data | null;
  readonly problem: ApiProblem | null;
  /** When `data` was read. */
  readonly at: number | null;
}

interface Store {
  readonly known: Signal<Known<unknown>>;
  readonly load: () => Promise<void>;
  readonly put: (data: unknown) => void;
  users: number;
}

/** One store per resource, so that a page that is opened again shows at once what was known. */
const stores = new Map<string, Store>();
/** Beyond this, those that no page shows are forgotten, oldest first. */
const MAX_STORES = 100;

/** A resource that a page shows: read when the page opens, and again by `refresh`. */
export function useResource<O extends Operation>(
  operation: O,
  given: Omit<Given<O>, 'body' | 'signal'> = {},
): Known<Reply<O>> {
  const key = keyOf(operation, given);
  const store = storeOf(key, () => call(operation, given));
  useEffect(() => {
    store.users += 1;
    void store.load();
    return () => {
      store.users -= 1;
    };
    // Not by the key: after a change of session the same key has another store, which nobody has read yet.
  }, [store]);
  return store.known.value;
}

/** Reads again what pages show of these operations, and forgets what none shows. */
export async function refresh(...operations: Operation[]): Promise<void> {
  const loads: Promise<void>[] = [];
  for (const [key, store] of stores) {
    if (!operations.some((operation) => key.startsWith(`${operation}?`))) continue;
    if (store.users > 0) loads.push(store.load());
    else stores.delete(key);
  }
  await Promise.all(loads);
}

/**
 * What the event stream brought of a resource. An answer that was asked for before is older, and the stream would not
 * mend it: it only tells of changes.
 */
export function put<O extends Operation>(
  operation: O,
  given: Omit<Given<O>, 'body' | 'signal'>,
  data: Reply<O>,
): void {
  storeOf(keyOf(operation, given), () => call(operation, given)).put(data);
}

/** After signing out and after a change of workspace: nothing of before may be shown. */
export function clearStore(): void {
  stores.clear();
}

function keyOf(operation: string, given: object): string {
  return `${operation}?${JSON.stringify(given)}`;
}

function storeOf(key: string, read: () => Promise<unknown>): Store {
  const known = stores.get(key);
  if (known) return known;
  const store = openStore(read);
  stores.set(key, store);
  for (const [old, { users }] of stores) {
    if (stores.size <= MAX_STORES) break;
    if (users === 0 && old !== key) stores.delete(old);
  }
  return store;
}

function openStore(read: () => Promise<unknown>): Store {
  const known = signal<Known<unknown>>({ data: null, problem: null, at: null });
  let latest = 0;
  return {
    known,
    users: 0,
    put(data) {
      latest += 1;
      known.value = { data, problem: null, at: Date.now() };
    },
    async load() {
      const turn = (latest += 1);
      try {
        const data = await read();
        if (turn === latest) known.value = { data, problem: null, at: Date.now() };
      } catch (error) {
        if (turn === latest) known.value = { ...known.peek(), problem: toProblem(error) };
      }
    },
  };
}
