import { describe, expect, test } from 'vitest';
import { unpackZip } from '#src/files/unpack-zip.ts';
import { buildZip } from '#test/support/build-files.ts';

describe('an archive', () => {
  const unpack = async (
    entries: Record<string, string>,
  ): Promise<{ files: unknown[]; metadataFile: string | null }> => {
    const zip = buildZip(
      Object.entries(entries).map(([name, content]) => ({ name, content: Buffer.from(content) })),
    );
    const { files, metadataFile } = await unpackZip({ name: 'a.zip', bytes: zip });
    const unpacked: unknown[] = [];
    for await (const { name, bytes, metadata } of files) {
      unpacked.push([name, bytes.toString(), metadata]);
    }
    return { files: unpacked, metadataFile: metadataFile?.name ?? null };
  };

  test('yields its files under safe names, without folders, dotfiles and macOS extras', async () => {
    const { files, metadataFile } = await unpack({
      'docs/': '',
      'docs/a.md': 'A',
      '../../etc/passwd': 'B',
      '/root.txt': 'C',
      'C:\\win\\d.txt': 'D',
      'docs/.hidden/e.txt': 'no',
      '.DS_Store': 'no',
      '__MACOSX/docs/._a.md': 'no',
      'inner.zip': 'F',
    });
    expect(metadataFile).toBeNull();
    expect(files).toEqual([
      ['docs/a.md', 'A', {}],
      ['etc/passwd', 'B', {}],
      ['root.txt', 'C', {}],
      ['win/d.txt', 'D', {}],
      ['inner.zip', 'F', {}],
    ]);
  });

  test('assigns each file its entry in the metadata file, by path or name, even inside a folder', async () => {
    const described = JSON.stringify([
      { filename: 'a.md', team: 'docs' },
      { filename: 'sub/b.md', team: 'ops' },
    ]);
    const expected = (folder: string): unknown => ({
      metadataFile: `${folder}.onyx_metadata.json`,
      files: [
        [`${folder}a.md`, 'A', { team: 'docs' }],
        [`${folder}sub/b.md`, 'B', { team: 'ops' }],
        [`${folder}c.md`, 'C', {}],
      ],
    });
    for (const folder of ['', 'export/']) {
      const unpacked = await unpack({
        [`${folder}a.md`]: 'A',
        [`${folder}sub/b.md`]: 'B',
        [`${folder}c.md`]: 'C',
        [`${folder}.onyx_metadata.json`]: described,
      });
      expect(unpacked).toEqual(expected(folder));
    }
  });

  test.each([
    ['only folders', { 'a/': '' }, /holds no files/],
    [
      'a metadata file that is not JSON',
      { a: 'A', '.millrace_metadata.json': '{' },
      /not valid JSON/,
    ],
    [
      'a metadata file of the wrong shape',
      { a: 'A', '.onyx_metadata.json': '[{"name": "a"}]' },
      /must be an array of objects with a filename each: 0\.filename/,
    ],
  ])('with %s is refused with the reason', async (_, entries, reason) => {
    await expect(unpack(entries)).rejects.toThrow(reason);
  });

  test('with a false entry size fails at that entry', async () => {
    const bytes = buildZip([
      { name: 'a.txt', content: Buffer.alloc(5_000_000), declaredBytes: 1_000 },
    ]);
    const { files } = await unpackZip({ name: 'a.zip', bytes });
    await expect(files[Symbol.asyncIterator]().next()).rejects.toThrow(/more than it declares/);
  });
});
