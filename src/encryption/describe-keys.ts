import type { PlatformServices } from '#src/platform/platform-services.ts';
import { countValuesByKey } from './keys-in-use.ts';

export const KEY_STATES = ['seals', 'opens', 'missing', 'lost'] as const;

/** A key of this process, or a missing one that sealed values in the database. */
export interface DescribedKey {
  id: string;
  state: (typeof KEY_STATES)[number];
  /** Number of values sealed with it. */
  values: number;
}

/**
 * The keys of this process, the sealing key first, then the missing ones.
 * @returns `left` counts the values still to be resealed, except those of lost keys
 */
export async function describeKeys({
  db,
  secrets,
}: Pick<PlatformServices, 'db' | 'secrets'>): Promise<{ keys: DescribedKey[]; left: number }> {
  const counts = await countValuesByKey(db);
  const rows = await db
    .selectFrom('encryption_key')
    .select('id')
    .where('lost_at', 'is not', null)
    .execute();
  const lost = new Set(rows.map(({ id }) => id));
  const others = [...counts.keys()].filter((id) => !secrets.keyIds.includes(id)).toSorted();
  const stateOf = (id: string): DescribedKey['state'] => {
    if (id === secrets.keyIds[0]) return 'seals';
    if (secrets.keyIds.includes(id)) return 'opens';
    return lost.has(id) ? 'lost' : 'missing';
  };
  const keys = [...secrets.keyIds, ...others].map((id) => ({
    id,
    state: stateOf(id),
    values: counts.get(id) ?? 0,
  }));
  const left = keys
    .filter(({ state }) => state === 'opens' || state === 'missing')
    .reduce((sum, { values }) => sum + values, 0);
  return { keys, left };
}
