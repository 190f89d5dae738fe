import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { fileConnector } from '#src/connectors/file.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { uploadedFiles } from '#test/support/uploaded-files.ts';

test('of two files that claim one id the second fails, and replaces nothing', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index}.txt`);
  const uploads = new Map(
    names.map((name) => {
      const claims = name === '0.txt' || name === '1.txt' || name === '19.txt';
      return [
        randomUUID() as string,
        { name, content: `Text of ${name}.`, ...(claims && { metadata: { id: 'same' } }) },
      ];
    }),
  );
  const files = uploadedFiles(uploads);
  await using test = openTestContext({ files });
  const ids = [...uploads.keys()];
  const poll = async (locations: string[], since: Date | null = null) => {
    const settings = fileConnector.settings.parse({ file_locations: locations });
    const context = { ...test.context, since };
    const pages = await collectPages(fileConnector.poll(settings, {}, null, context), test);
    return {
      failures: pages.flatMap(({ failures }) => failures),
      texts: pages.flatMap(({ documents }) =>
        documents.filter(({ id }) => id === 'same').map(({ sections }) => sections[0]?.text),
      ),
    };
  };
  for (const since of [null, new Date()]) {
    const { failures, texts } = await poll(ids, since);
    expect(failures.map(({ documentId }) => documentId)).toEqual([
      `FILE_CONNECTOR__${ids[1]}`,
      `FILE_CONNECTOR__${ids[19]}`,
    ]);
    expect(failures[0]?.reason).toBe('1.txt has the id "same", as 0.txt has.');
    expect(texts).toEqual(since === null ? ['Text of 0.txt.'] : []);
  }
  const { failures, texts } = await poll(ids.slice(2), new Date());
  expect(failures).toEqual([]);
  expect(texts).toEqual(['Text of 19.txt.']);
});
