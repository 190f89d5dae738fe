import type { AnyConnector } from './connector.ts';

/** Every kind of source there is. A new one: its file here, its line below, and its fixture. */
export const CONNECTORS: readonly AnyConnector[] = [];

/** By kind or alias; null for a source that no connector serves. */
export function findConnector(source: string): AnyConnector | null {
  const name = source.toLowerCase();
  return CONNECTORS.find(({ kind, aliases }) => kind === name || aliases.includes(name)) ?? null;
}
