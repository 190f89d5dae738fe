import type { MemoryEntry, PollContext } from './connector.ts';

const KEY = 'first-since';

export interface FirstSince {
  since: Date | null;
  memory: MemoryEntry;
}

/**
 * Where the pair's first run began; null: at the very beginning. A later run reads the history of anything it meets
 * for the first time, such as a channel that the bot was invited to, from there and not from the last run.
 * @returns also the memory entry for it, to be put into the pages of every run
 */
export async function findFirstSince({
  since,
  recall,
}: Pick<PollContext, 'since' | 'recall'>): Promise<FirstSince> {
  const known = since === null ? null : await recall([KEY]);
  const first = known?.has(KEY) ? known.get(KEY) : since?.toISOString();
  const value = typeof first === 'string' ? first : null;
  return {
    since: value === null ? null : new Date(value),
    memory: { key: KEY, documentId: null, value },
  };
}
