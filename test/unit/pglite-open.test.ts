import { expect, it } from 'vitest';
import { StartError } from '#src/platform/errors.ts';
import { unopened } from '#src/platform/pglite.ts';

it('says that the disk is full, and where', () => {
  const failure = unopened('/data/pglite', { name: 'ErrnoError', errno: 51 });
  expect(failure).toBeInstanceOf(StartError);
  expect(failure.message).toBe(
    'The embedded database in /data/pglite cannot be opened: no space is left on its disk. Make room, or set DATA_DIR to a folder on another disk.',
  );
});
