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
  const expected = ['file sub/x.md'];
  expect(await idsOf(at(), 'docs')).toEqual(expected);
  expect(await idsOf(at(), './docs/')).toEqual(expected);
  expect(await idsOf(at('other'), '../docs')).toEqual(expected);
  expect(await idsOf(at('docs'), '.')).toEqual(expected);
  expect(await idsOf('/', at('docs'))).toEqual(expected);
  expect(await idsOf(at('other'), '../docs/**/*.md')).toEqual(expected);
});

it('a file has the same id by itself and through its folder, and a linked folder has the ids of its target', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  expect(await idsOf(at('other'), '../docs/sub/x.md')).toEqual(['file x.md']);
  expect(await idsOf(at(), 'linked')).toEqual(['file sub/x.md']);
});

it('a single file and its folder give one document', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  await writeFile(at('docs', 'a.md'), 'a');
  expect(await idsOf(at(), 'docs/a.md')).toEqual(['file a.md']);
  expect(await idsOf(at(), 'docs/a.md', 'docs', './docs')).toEqual(['file a.md', 'file sub/x.md']);
});

it('a second file with the same id is refused, because it would overwrite the first', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  await writeFile(at('docs', 'y.md'), 'y');
  const paths = ['docs', 'other/docs'];
  const found = findFiles({ paths, include: [], exclude: [], workingFolder: at() });
  expect(await Array.fromAsync(found)).toMatchObject([
    { kind: 'file', relativePath: 'sub/x.md' },
    { kind: 'file', relativePath: 'y.md' },
    {
      kind: 'failed',
      relativePath: 'other/docs/y.md',
      reason:
        'its id would be y.md, the same as that of docs/y.md; run the command once per path, each with its own --id-prefix',
    },
  ]);
});

it('include and exclude match the path below the given folder', async () => {
  await using folders = await openFolders();
  const { at } = folders;
  await writeFile(at('docs', 'a.md'), 'a');
  const select = async (patterns: { include?: string[]; exclude?: string[] }) => {
    const selection = { paths: ['docs'], include: [], exclude: [], workingFolder: at() };
    const found = findFiles({ ...selection, ...patterns });
    return Array.fromAsync(found, ({ relativePath }) => relativePath);
  };
  expect(await select({ exclude: ['sub/**'] })).toEqual(['a.md']);
  expect(await select({ include: ['sub/*'] })).toEqual(['sub/x.md']);
});
