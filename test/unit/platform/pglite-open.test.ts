import { expect, it } from 'vitest';
import { StartError } from '#src/platform/errors.ts';
import { openFailure, watchTraps } from '#src/platform/pglite.ts';

const ENDED = new Error('PGlite failed to initialize properly');
const PLENTY = 1e9;

it.each([
  ['no file can be written', { name: 'ErrnoError', errno: 51 }, null],
  ['Postgres has no room for its log', ENDED, 7_000_000],
])('a full disk is reported with its location: %s', (_, cause, freeBytes) => {
  const failure = openFailure('/data/pglite', cause, freeBytes);
  expect(failure).toBeInstanceOf(StartError);
  expect(failure.message).toBe(
    'The embedded database in /data/pglite cannot be opened: no space is left on its disk. Make room, or set DATA_DIR to a folder on another disk.',
  );
});

it('unusable files are reported when there is disk space', () => {
  expect(openFailure('/data/pglite', { errno: 2 }, PLENTY).message).toContain('(WASI error 2)');
  const damaged = openFailure('/data/pglite', ENDED, PLENTY).message;
  expect(damaged).toContain('damaged or those of another version (PGlite failed to initialize');
  expect(damaged).toContain('Restore a backup');
});

it('a WebAssembly trap is distinguished from a failed statement', () => {
  const told: unknown[] = [];
  let thrown: unknown = { status: 100 };
  const postgres = {
    _PostgresMainLoopOnce() {
      throw thrown;
    },
  };
  watchTraps(postgres, (error) => told.push(error));
  expect(() => postgres._PostgresMainLoopOnce()).toThrow();
  expect(told).toEqual([]);
  thrown = new WebAssembly.RuntimeError('unreachable');
  expect(() => postgres._PostgresMainLoopOnce()).toThrow('unreachable');
  expect(told).toEqual([thrown]);
});
