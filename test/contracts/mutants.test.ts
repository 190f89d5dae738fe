import { expect, it } from 'vitest';
import { findMisfits } from '#test/mutants/find-misfits.ts';
import { mutants } from '#test/mutants/mutants.ts';

it('every mutant can be applied to its file, and its tests exist', async () => {
  expect(mutants.length).toBeGreaterThan(100);
  expect(await findMisfits(mutants, '.')).toEqual([]);
});
