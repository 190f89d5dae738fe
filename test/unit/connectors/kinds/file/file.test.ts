import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ConnectorFiles } from '#src/connectors/source/connector.ts';
import { fileConnector } from '#src/connectors/kinds/file/file.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { StoredFileId } from '#src/ids.ts';
import { type FileFixture, startFixture } from '#test/fixtures/connectors/file.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import { uploadedFiles } from '#test/support/uploaded-files.ts';

describe('a poll', () => {
  let fixture: FileFixture;
  beforeEach(async () => {
    fixture = await startFixture();
  });
  const settingsOf = (): unknown => fileConnector.settings.parse(fixture.settings);
  const counted = (): { reads: string[]; files: ConnectorFiles } => {
    const reads: string[] = [];
    const read = (id: StoredFileId) => {
      reads.push(id);
      return fixture.files.read(id);
    };
    return { reads, files: { ...fixture.files, read } };
  };

  test('does not read a known file again until its metadata changes', async () => {
    const { reads, files } = counted();
    await using test = openTestContext({ files, since: new Date() });
    const poll = (settings: unknown) =>
      collectPages(fileConnector.poll(settings, {}, null, test.context), test);
    const first = await poll(settingsOf());
    expect(first.map(({ documents }) => documents.length)).toEqual([16, 16, 8]);
    reads.length = 0;

    fixture.put('new', 'New text.', new Date());
    const second = await poll(settingsOf());
    expect(second.flatMap(({ unchanged }) => unchanged)).toHaveLength(40);
    expect(second.flatMap(({ documents }) => documents)).toMatchObject([{ id: 'note:new' }]);
    expect(reads).toHaveLength(1);

    const names = [...fixture.uploads.values()].map(({ name }) => `renamed ${name}`);
    const renamed = { ...fixture.settings, file_names: names };
    const third = await poll(fileConnector.settings.parse(renamed));
    expect(third.flatMap(({ documents }) => documents)).toHaveLength(41);
  });

  test('from the beginning reads everything again', async () => {
    await using test = openTestContext({ files: fixture.files, since: null });
    const poll = () => collectPages(fileConnector.poll(settingsOf(), {}, null, test.context), test);
    await poll();
    expect((await poll()).flatMap(({ unchanged }) => unchanged)).toEqual([]);
  });

  test('resumes after its checkpoint, even if earlier files were removed', async () => {
    await using test = openTestContext({ files: fixture.files });
    const [first] = await collectPages(fileConnector.poll(settingsOf(), {}, null, test.context));
    for (const name of ['note 1', 'note 2']) fixture.remove(name);
    const rest = await collectPages(
      fileConnector.poll(settingsOf(), {}, first?.checkpoint, test.context),
    );
    const ids = rest.flatMap(({ documents }) => documents.map(({ id }) => id));
    expect(ids).toEqual(fixture.ids().slice(14));
  });

  test('restarts when the file of its checkpoint was removed', async () => {
    await using test = openTestContext({ files: fixture.files });
    const pages = await collectPages(
      fileConnector.poll(settingsOf(), {}, { last: randomUUID() }, test.context),
    );
    expect(pages.flatMap(({ documents }) => documents)).toHaveLength(40);
  });

  test('closes a page early when its files are large', async () => {
    const text = Buffer.alloc(5 * 1024 * 1024, 'word ');
    for (const upload of fixture.uploads.values()) upload.bytes = text;
    await using test = openTestContext({ files: fixture.files });
    for await (const page of fileConnector.poll(settingsOf(), {}, null, test.context)) {
      expect(page.documents).toHaveLength(2);
      break;
    }
  });

  test('stops when its run is aborted', async () => {
    const stop = new AbortController();
    await using test = openTestContext({ files: fixture.files, signal: stop.signal });
    const pages = fileConnector.poll(settingsOf(), {}, null, test.context)[Symbol.asyncIterator]();
    await pages.next();
    stop.abort(new Error('stopped'));
    await expect(pages.next()).rejects.toThrow('stopped');
  });

  test('yields a file listed twice only once', async () => {
    await using test = openTestContext({ files: fixture.files });
    const [id] = fixture.uploads.keys();
    const settings = fileConnector.settings.parse({ file_locations: [id, id] });
    const pages = await collectPages(fileConnector.poll(settings, {}, null, test.context));
    expect(pages.flatMap(({ documents }) => documents)).toHaveLength(1);
  });
});

describe('a listing', () => {
  test('has the same ids as the poll, including broken files but not missing ones', async () => {
    const ids = Array.from({ length: 3 }, () => randomUUID() as string);
    const files = uploadedFiles(
      new Map([
        [ids[0] ?? '', { name: 'a.txt', content: '#ONYX_METADATA={"id":"first"}\nText' }],
        [ids[1] ?? '', { name: 'b.txt', content: '#ONYX_METADATA={broken\nText' }],
      ]),
    );
    await using test = openTestContext({ files });
    const settings = fileConnector.settings.parse({ file_locations: ids });
    const listed: string[] = [];
    for await (const portion of fileConnector.listIds(settings, {}, test.context)) {
      listed.push(...portion);
    }
    expect(listed).toEqual(['first', `FILE_CONNECTOR__${ids[1]}`]);
  });

  test('does not read files that are already indexed', async () => {
    const fixture = await startFixture();
    await using test = openTestContext({ files: fixture.files, since: new Date() });
    const settings = fileConnector.settings.parse(fixture.settings);
    await collectPages(fileConnector.poll(settings, {}, null, test.context), test);
    const context = {
      ...test.context,
      files: { ...fixture.files, read: () => Promise.reject(new Error('read')) },
    };
    const listed: string[] = [];
    for await (const portion of fileConnector.listIds(settings, {}, context))
      listed.push(...portion);
    expect(listed).toEqual(fixture.ids());
  });
});

describe('settings and check', () => {
  test.each([
    [{}, 'file_locations'],
    [{ file_locations: [] }, 'file_locations'],
    [{ file_locations: ['not an id'] }, 'file_locations'],
    [{ file_locations: [randomUUID()], file_name: [] }, 'file_name'],
  ])('%j are refused, naming the field', (settings, field) => {
    const parsed = fileConnector.settings.safeParse(settings);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain(field);
  });

  test('a missing file is named', async () => {
    await using test = openTestContext();
    const id = randomUUID();
    const settings = fileConnector.settings.parse({ file_locations: [id] });
    const checking = fileConnector.check(settings, {}, test.context);
    await expect(checking).rejects.toThrow(`file_locations: there is no file ${id}`);
    await expect(checking).rejects.toBeInstanceOf(SourceRefused);
  });
});
