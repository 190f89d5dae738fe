import { MARKER } from './leftover-processes.ts';

/**
 * Environment of every process that a test starts, besides its settings: the compile cache and the marker of the run.
 */
export function runEnvironment(): Record<string, string> {
  const names = ['NODE_COMPILE_CACHE', MARKER];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
