import { MARKER } from './left-behind.ts';

/** What every process that a test starts is given besides its settings: the compile cache, and whose process it is. */
export function runEnvironment(): Record<string, string> {
  const names = ['NODE_COMPILE_CACHE', MARKER];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
