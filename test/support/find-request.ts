import type { ContractSource } from './connector-contract.ts';

export const PLACES = ['first', 'second', 'last'] as const;

/** Number of the request at this place within `work`. @returns the number, from 1 */
export async function findRequest(
  { server }: ContractSource,
  place: (typeof PLACES)[number],
  work: () => Promise<unknown>,
): Promise<number> {
  // The first run may change the source, for example when a bot joins channels.
  await work();
  const before = server.requests.length;
  await work();
  const count = server.requests.length - before;
  return { first: 1, second: Math.min(2, count), last: count }[place];
}
