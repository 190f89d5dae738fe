import { z } from 'zod';
import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { hashOf } from '#src/connectors/kinds/web/page-address.ts';

/** The memory of one page of a feed, by its URL. */
const feedPageMemory = z.object({
  etag: z.string().nullable(),
  modified: z.string().nullable(),
  next: z.string().nullable(),
  /** Keys of its items. */
  items: z.array(z.string()),
});
export type FeedPageMemory = z.infer<typeof feedPageMemory>;

/** The memory of one item, by its key. */
const itemMemory = z.object({
  id: z.string(),
  hash: z.string(),
  /** Why it was skipped; null when it is a document. */
  skipped: z.string().nullable(),
});
export type ItemMemory = z.infer<typeof itemMemory>;

export const feedPageKey = (url: string): string => `feed:${hashOf(url)}`;
export const itemKey = (key: string): string => `item:${key}`;

export async function recallFeedPage(
  url: string,
  context: ConnectorContext,
): Promise<FeedPageMemory | null> {
  const values = await context.recall([feedPageKey(url)]);
  return feedPageMemory.safeParse(values.get(feedPageKey(url))).data ?? null;
}

/** By the key of the item. */
export async function recallItems(
  keys: readonly string[],
  context: ConnectorContext,
): Promise<Map<string, ItemMemory>> {
  const values = await context.recall(keys.map(itemKey));
  const found = new Map<string, ItemMemory>();
  for (const key of keys) {
    const memory = itemMemory.safeParse(values.get(itemKey(key)));
    if (memory.success) found.set(key, memory.data);
  }
  return found;
}

const IDS_PER_CHUNK = 200;
const registerHead = z.object({ chunks: z.int().nonnegative() });
const registerChunk = z.object({ ids: z.array(z.string()) });

/**
 * The ids of all items that the feed ever showed, in numbered chunks. A feed shows only its newest items, and one
 * that has scrolled off is not gone. Memory can be read only by key, so the keys must be enumerable.
 */
export class ItemRegister {
  private readonly context: ConnectorContext;
  private chunks = 0;
  private last: string[] = [];
  private readonly changed = new Map<string, MemoryEntry>();

  private constructor(context: ConnectorContext) {
    this.context = context;
  }

  static async open(context: ConnectorContext): Promise<ItemRegister> {
    const register = new ItemRegister(context);
    const values = await context.recall(['ids:head']);
    register.chunks = registerHead.safeParse(values.get('ids:head')).data?.chunks ?? 0;
    if (register.chunks > 0) register.last = await register.read(register.chunks - 1);
    return register;
  }

  /** Adds the ids that are missing. */
  async add(ids: readonly string[]): Promise<void> {
    const listed = await this.context.recall(ids.map(listedKey));
    for (const id of ids) {
      const key = listedKey(id);
      const isListed = this.changed.get(key)?.value ?? listed.get(key);
      if (isListed === true) continue;
      this.remember(key, true);
      if (isListed === false) continue;
      if (this.chunks === 0 || this.last.length >= IDS_PER_CHUNK) {
        this.chunks += 1;
        this.last = [];
        this.remember('ids:head', { chunks: this.chunks });
      }
      this.last = [...this.last, id];
      this.remember(`ids:${this.chunks - 1}`, { ids: this.last });
    }
  }

  /** The ids that are missing. */
  async unlisted(ids: readonly string[]): Promise<string[]> {
    const listed = await this.context.recall(ids.map(listedKey));
    return ids.filter((id) => listed.get(listedKey(id)) !== true);
  }

  /** Removed ids keep their places in the chunks, and are left out of `ids`. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.remember(listedKey(id), false);
  }

  /** What has changed since the last save. */
  save(): MemoryEntry[] {
    const entries = [...this.changed.values()];
    this.changed.clear();
    return entries;
  }

  async *ids(): AsyncGenerator<string[]> {
    for (let chunk = 0; chunk < this.chunks; chunk += 1) {
      const ids = await this.read(chunk);
      const listed = await this.context.recall(ids.map(listedKey));
      yield ids.filter((id) => listed.get(listedKey(id)) === true);
    }
  }

  private async read(chunk: number): Promise<string[]> {
    const key = `ids:${chunk}`;
    const values = await this.context.recall([key]);
    return registerChunk.safeParse(values.get(key)).data?.ids ?? [];
  }

  private remember(key: string, value: unknown): void {
    this.changed.set(key, { key, documentId: null, value, lasting: true });
  }
}

const listedKey = (id: string): string => `listed:${hashOf(id)}`;
