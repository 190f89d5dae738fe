import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** Tested folders that are not in `src`. */
const OTHERS = ['queues', 'workers', 'bench', 'hostile-input'];

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

  it('are in the folder of the file that they are named after', () => {
    const unit = join(ROOT, 'test/unit');
    const misplaced = globSync('**/*.test.ts', { cwd: unit }).filter((file) => {
      const text = readFileSync(join(unit, file), 'utf8');
      const name = basename(file, '.test.ts');
      const folders = Array.from(text.matchAll(/'#src\/([^']+)\/([^/']+)\.ts'/g)).flatMap(
        ([, folder, imported]) => (imported === name ? [folder] : []),
      );
      return folders.length > 0 && !folders.includes(dirname(file));
    });
    expect(misplaced).toEqual([]);
  });

  it('are named after what they test, not numbered', () => {
    expect(FILES.filter((file) => /-\d+\.test\.ts$/.test(file))).toEqual([]);
  });
});
