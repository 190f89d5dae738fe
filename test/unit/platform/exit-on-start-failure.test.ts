import { expect, it } from 'vitest';
import { StartError } from '#src/platform/errors.ts';
import { explainFailure } from '#src/platform/exit-on-start-failure.ts';

it('explains a known failure in a single sentence', () => {
  expect(explainFailure(new StartError('Set PORT.'))).toBe('Set PORT.');
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  expect(explainFailure(full)).toBe(
    'No space is left on a disk (ENOSPC: no space left on device, write). Make room there.',
  );
});

it('shows the contents of a thrown value that is not an error', () => {
  expect(explainFailure({ name: 'ErrnoError', errno: 51 })).toContain('errno: 51');
});
