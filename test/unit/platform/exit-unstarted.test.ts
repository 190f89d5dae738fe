import { expect, it } from 'vitest';
import { StartError } from '#src/platform/errors.ts';
import { explainFailure } from '#src/platform/exit-unstarted.ts';

it('shows the sentence alone where there is one', () => {
  expect(explainFailure(new StartError('Set PORT.'))).toBe('Set PORT.');
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  expect(explainFailure(full)).toBe(
    'No space is left on a disk (ENOSPC: no space left on device, write). Make room there.',
  );
});

it('shows what is inside of something thrown that is no error', () => {
  expect(explainFailure({ name: 'ErrnoError', errno: 51 })).toContain('errno: 51');
});
