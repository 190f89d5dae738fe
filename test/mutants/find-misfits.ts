import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mutant } from './mutant.ts';

/** Says which mutants cannot be applied: their text must occur exactly once in their file, and their tests must exist. */
export async function findMisfits(mutants: readonly Mutant[], root: string): Promise<string[]> {
  const misfits: string[] = [];
  for (const { fault, file, find, tests } of mutants) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => '');
    const times = text.split(find).length - 1;
    if (times !== 1) misfits.push(`${file} has the text ${times} times: ${fault}`);
    const missing = tests.filter((test) => !existsSync(path.join(root, test)));
    misfits.push(...missing.map((test) => `${test} does not exist: ${fault}`));
  }
  return misfits;
}
