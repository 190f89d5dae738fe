import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findFiles } from '#src/cli/find-files.ts';

async function openFolders() {
  const folder = await mkdtempDisposable(path.join(tmpdir(), 'millrace-ids-'));
  const at = (...parts: string[]): string => path.join(folder.path, ...parts);
  await mkdir(at('docs', 'sub'), { recursive: true });
  await mkdir(at('other', 'docs'), { recursive: true });
  await writeFile(at('docs', 'sub', 'x.md'), 'x');
  await writeFile(at('other', 'docs', 'y.md'), 'y');
  await symlink(at('docs'), at('linked'));
  return { at, [Symbol.asyncDispose]: () => folder.remove() };
}

async function idsOf(workingFolder: string, ...paths: string[]): Promise<string[]> {
  const found = findFiles({ paths, include: [], exclude: [], workingFolder });
  return Array.fromAsync(found, (file) => `${file.kind} ${file.relativePath}`);
}

it('a document in a folder has the same id wherever the command runs', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  const expected = ['file docs/sub/x.md'];
  expect(await idsOf(at(), 'docs')).toEqual(expected);
  expect(await idsOf(at(), './docs/')).toEqual(expected);
  expect(await idsOf(at('other'), '../docs')).toEqual(expected);
  expect(await idsOf(at('docs'), '.')).toEqual(expected);
  expect(await idsOf('/', at('docs'))).toEqual(expected);
  expect(await idsOf(at('other'), '../docs/**/*.md')).toEqual(expected);
});

it('a single file is named after itself, and a linked folder after the link', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  expect(await idsOf(at('other'), '../docs/sub/x.md')).toEqual(['file x.md']);
  expect(await idsOf(at(), 'linked')).toEqual(['file linked/sub/x.md']);
});

it('a second path with the same name is refused, since its documents would overwrite the first', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  expect(await idsOf(at(), 'docs', 'other/docs', './docs')).toEqual([
    'file docs/sub/x.md',
    'failed other/docs',
    'file docs/sub/x.md',
  ]);
});
