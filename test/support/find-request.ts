import type { ContractKind, ContractSource } from './connector-contract.ts';

export const PLACES = ['first', 'second', 'last'] as const;

/**
 * Returns a function that gives the number, from 1, of the request at a place within `work` on a source of that kind
 * that has just started. A fixture always starts the same source, so each kind's requests are counted once.
 */
export function requestFinder(
  work: (source: ContractSource) => Promise<unknown>,
): (kind: ContractKind, place: (typeof PLACES)[number]) => Promise<number> {
  const counts = new Map<string, Promise<number>>();

  async function countRequests({ start }: ContractKind): Promise<number> {
    await using source = await start();
    const before = source.server.requests.length;
    await work(source);
    return source.server.requests.length - before;
  }

  return async (kind, place) => {
    if (place === 'first') return 1;
    const counting = counts.get(kind.kind) ?? countRequests(kind);
    counts.set(kind.kind, counting);
    const count = await counting;
    return place === 'last' ? count : Math.min(2, count);
  };
}
