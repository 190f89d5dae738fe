import { existsSync, globSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** Tested folders that are not in `src`. */
const OTHERS = ['queues', 'workers', 'hostile-input'];

const FILES = ['unit', 'integration'].flatMap((kind) =>
  globSync('**/*.ts', { cwd: join(ROOT, 'test', kind) }),
);

describe('unit and integration tests', () => {
  it('are in folders that also exist in src', () => {
    const folders = [...new Set(FILES.map((file) => dirname(file)))];
    expect(folders.length).toBeGreaterThan(20);
    const strange = folders.filter(
      (folder) =>
        !OTHERS.includes(folder) && (folder === '.' || !existsSync(join(ROOT, 'src', folder))),
    );
    expect(strange).toEqual([]);
  });

  it('are named after what they test, not numbered', () => {
    expect(FILES.filter((file) => /-\d+\.test\.ts$/.test(file))).toEqual([]);
  });
});
