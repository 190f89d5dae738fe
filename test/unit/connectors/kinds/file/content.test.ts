import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { fileConnector } from '#src/connectors/kinds/file/file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { buildPdf } from '#test/support/build-files.ts';
import { buildProtectedPdf } from '#test/support/build-office-files.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { type UploadedFile, uploadedFiles } from '#test/support/uploaded-files.ts';

/** Stores the uploads and polls them once with settings that list them all. */
async function index(
  uploads: UploadedFile[],
  more: { settings?: object; credential?: object; extra?: Record<string, UploadedFile> } = {},
): Promise<ConnectorPage<unknown> & { ids: string[] }> {
  const stored = new Map(uploads.map((upload) => [randomUUID() as string, upload]));
  const files = uploadedFiles(new Map([...stored, ...Object.entries(more.extra ?? {})]));
  await using test = openTestContext({ files });
  const settings = fileConnector.settings.parse({
    file_locations: [...stored.keys()],
    ...more.settings,
  });
  const credential = fileConnector.credential.parse(more.credential ?? {});
  const pages = await collectPages(fileConnector.poll(settings, credential, null, test.context));
  expect(pages).toHaveLength(1);
  const [page] = pages;
  if (!page) throw new Error('no page');
  return { ...page, ids: [...stored.keys()] };
}

describe('an unindexable file is one failure with its reason', () => {
  test('whatever its defect, and the others are indexed', async () => {
    const page = await index([
      { name: 'cut.pdf', content: '%PDF-1.4 cut off' },
      { name: 'good.txt', content: 'Good.' },
      { name: 'noise.bin', content: Buffer.from([1, 2, 0, 0, 0, 3, 4, 0, 0, 5, 255]) },
      {
        name: 'inner.zip',
        content: Buffer.from('504b0506000000000000000000000000000000000000', 'hex'),
      },
      { name: 'empty.md', content: '', metadata: { id: 'chosen', link: 'https://x.example/e' } },
    ]);
    expect(page.documents.map(({ title }) => title)).toEqual(['good.txt']);
    expect(page.failures).toEqual([
      {
        documentId: `FILE_CONNECTOR__${page.ids[0]}`,
        link: null,
        entityId: null,
        reason: expect.stringContaining('cut.pdf is a damaged PDF'),
      },
      {
        documentId: `FILE_CONNECTOR__${page.ids[2]}`,
        link: null,
        entityId: null,
        reason: expect.stringContaining('noise.bin is a binary file'),
      },
      {
        documentId: `FILE_CONNECTOR__${page.ids[3]}`,
        link: null,
        entityId: null,
        reason: expect.stringContaining('inner.zip is a zip container without'),
      },
      {
        documentId: 'chosen',
        link: 'https://x.example/e',
        entityId: null,
        reason: 'empty.md is empty.',
      },
    ]);
    expect(page.memory).toHaveLength(1);
  });

  test('when its id is known but the file is gone', async () => {
    const gone = randomUUID();
    const page = await index([], { settings: { file_locations: [gone], file_names: ['a.txt'] } });
    expect(page.failures).toMatchObject([
      { documentId: `FILE_CONNECTOR__${gone}`, reason: 'a.txt is no longer stored.' },
    ]);
  });

  test('when its own metadata is invalid', async () => {
    const page = await index([
      { name: 'a.txt', content: '#ONYX_METADATA={"id": "a"\ntext' },
      { name: 'b.txt', content: 'text', metadata: { doc_updated_at: 'yesterday' } },
    ]);
    expect(page.failures.map(({ reason }) => reason)).toEqual([
      'Its first line holds metadata that is not a JSON object.',
      'Its metadata is wrong: doc_updated_at: is not a date.',
    ]);
  });

  test('when it is a PDF with another password than that of the credential', async () => {
    const uploads = [{ name: 'a.pdf', content: buildProtectedPdf('Secret', 'open sesame') }];
    const opened = await index(uploads, { credential: { pdf_password: 'open sesame' } });
    expect(opened.documents[0]?.sections).toEqual([{ text: 'Secret', link: null }]);
    const closed = await index(uploads, { credential: { pdf_password: 'other' } });
    expect(closed.failures).toMatchObject([
      { reason: 'a.pdf is protected by a different password than the one given.' },
    ]);
  });
});

describe('metadata', () => {
  const keys = {
    id: 'doc-1',
    link: 'https://wiki.example/doc',
    file_display_name: 'Shown name',
    title: 'The title',
    primary_owners: ['Ada Lovelace'],
    secondary_owners: [{ email: 'bob@x.example' }],
    doc_updated_at: '2026-02-03T04:05:06Z',
    connector_type: 'confluence',
    team: 'docs',
    labels: ['a', '', 'b'],
    level: 3,
    blank: ' ',
  };
  const document = {
    id: 'doc-1',
    semanticIdentifier: 'Shown name',
    title: 'The title',
    sections: [{ text: 'Body.\n', link: 'https://wiki.example/doc' }],
    metadata: { team: 'docs', labels: ['a', 'b'], level: '3' },
    updatedAt: new Date('2026-02-03T04:05:06Z'),
    primaryOwners: [{ display_name: 'Ada Lovelace' }],
    secondaryOwners: [{ email: 'bob@x.example' }],
    source: 'confluence',
  };

  test.each([
    ['an HTML comment', `<!-- ONYX_METADATA=${JSON.stringify(keys)} -->\r\nBody.\n`],
    ['a # comment', `#ONYX_METADATA=${JSON.stringify(keys)}\nBody.\n`],
    ['our own name for it', `\uFEFF# MILLRACE_METADATA=${JSON.stringify(keys)}\nBody.\n`],
  ])(
    'is read from the first line as %s, which is then not part of the text',
    async (_, content) => {
      expect((await index([{ name: 'a.txt', content }])).documents).toEqual([document]);
    },
  );

  test('is read from the upload, from legacy settings, and from the zip metadata file', async () => {
    const upload = { name: 'docs/a.txt', content: 'Body.\n' };
    const noted = await index([{ ...upload, metadata: keys }]);
    const old = await index([upload], { settings: { zip_metadata: { 'a.txt': keys } } });
    const id = randomUUID();
    const file = await index([upload], {
      settings: { zip_metadata_file_id: id },
      extra: {
        [id]: {
          name: '.onyx_metadata.json',
          content: JSON.stringify([{ filename: 'docs/a.txt', ...keys }]),
        },
      },
    });
    for (const { documents } of [noted, old, file]) expect(documents).toEqual([document]);
  });

  test('of the zip takes precedence over the first line, key by key', async () => {
    const page = await index(
      [
        {
          name: 'a.txt',
          content: '#ONYX_METADATA={"id":"line","team":"line","place":"line"}\nText',
        },
      ],
      { settings: { zip_metadata: { 'a.txt': { id: 'zip', team: 'zip' } } } },
    );
    expect(page.documents).toMatchObject([{ id: 'zip', metadata: { team: 'zip', place: 'line' } }]);
  });

  test('when missing is replaced by the title in the content and the file id', async () => {
    const page = await index([{ name: 'a.md', content: '# Plan\n\nText' }]);
    expect(page.documents).toMatchObject([
      {
        id: `FILE_CONNECTOR__${page.ids[0]}`,
        semanticIdentifier: 'Plan',
        sections: [{ link: null }],
        source: null,
      },
    ]);
  });

  test('gives each section the URL fragment that leads to it', async () => {
    const page = await index([
      {
        name: 'a.pdf',
        content: buildPdf(['One', 'Two']),
        metadata: { link: 'https://x.example/a' },
      },
    ]);
    expect(page.documents[0]?.sections.map(({ link }) => link)).toEqual([
      'https://x.example/a#page=1',
      'https://x.example/a#page=2',
    ]);
  });

  test('whose file is missing or damaged fails the run, naming the field', async () => {
    const id = randomUUID();
    const upload = { name: 'a.txt', content: 'Text' };
    const settings = { zip_metadata_file_id: id };
    await expect(index([upload], { settings })).rejects.toThrow(
      `zip_metadata_file_id: there is no file ${id}`,
    );
    const extra = { [id]: { name: 'm.json', content: '{"a": 1}' } };
    await expect(index([upload], { settings, extra })).rejects.toThrow(SourceRefused);
  });
});
