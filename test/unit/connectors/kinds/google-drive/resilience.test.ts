import { describe, expect, test } from 'vitest';
import { error } from '#test/support/fake-google-drive.ts';
import { useDrive } from './google-drive-harness.ts';

const SINCE = new Date('2026-01-20T00:00:00Z');
const DAY_MS = 86_400_000;
const COLLEAGUE = 'cleo@example.com';
const { fixture, poll, idOf, fetchAgain, listIds, test: test_ } = useDrive();

function refuse(isMeant: (path: string) => boolean): void {
  const body = error(403, 'insufficientFilePermissions', 'The user may not read it.').body ?? '';
  fixture().server.fault = ({ url }) =>
    isMeant(url.pathname) ? { kind: 'status', status: 403, body } : null;
}

function addShortcut(targetId: string, id = '1shortcut'): void {
  fixture().drive.write({
    id,
    name: 'shortcut',
    mimeType: 'application/vnd.google-apps.shortcut',
    shortcutDetails: { targetId, targetMimeType: 'text/plain' },
  });
}

function addColleagues(text: string, more: object = {}): void {
  const content = Buffer.from(text);
  fixture().drive.write({ id: '1theirs', name: 'theirs.txt', owner: COLLEAGUE, content, ...more });
}

describe('a shortcut target', () => {
  test('stays, and is read again when its owner edits it', async () => {
    addColleagues('First words.');
    addShortcut('1theirs');
    expect((await poll()).ids).toContain(idOf('1theirs'));
    addColleagues('Second words.', { modifiedTime: SINCE.toISOString() });
    const second = await poll({ since: SINCE });
    expect(second.removed).toEqual([]);
    expect(second.ids).toEqual([idOf('1theirs')]);
  });

  test('is not listed once it is in the trash', async () => {
    addColleagues('Words.');
    addShortcut('1theirs');
    expect(await listIds()).toContain(idOf('1theirs'));
    addColleagues('Words.', { trashed: true });
    expect(await listIds()).not.toContain(idOf('1theirs'));
  });

  test('is its own failure when refused, and the others are read', async () => {
    addColleagues('Words.');
    addShortcut('1theirs');
    refuse((path) => path === '/drive/v3/files/1theirs');
    const { ids, failures } = await poll();
    expect(ids).toHaveLength(8);
    expect(failures).toMatchObject([{ documentId: idOf('1theirs') }]);
    fixture().server.fault = () => null;
    expect(await fetchAgain([idOf('1theirs')])).toMatchObject({
      documents: [{ id: idOf('1theirs') }],
    });
  });
});

test('a file missing from the list of changes is found within a day', async () => {
  await poll();
  const content = Buffer.from('In a folder that was taken out of the trash.');
  fixture().drive.writeSilently({ id: '1untold', name: 'untold.txt', content });
  const { until } = test_().context;
  expect((await poll({ since: SINCE })).ids).toEqual([]);
  const next = await poll({ since: SINCE, until: new Date(until.getTime() + DAY_MS) });
  expect(next.ids).toEqual([idOf('1untold')]);
  expect(next.unchanged).toHaveLength(8);
});

test('a file that is refused again does not stop others from being fetched again', async () => {
  refuse((path) => path === '/drive/v3/files/1file-page_1');
  const again = await fetchAgain([idOf('1file-page_1'), idOf('1file-page_2')]);
  expect(again.failures).toMatchObject([{ documentId: idOf('1file-page_1') }]);
  expect(again.documents).toMatchObject([{ id: idOf('1file-page_2') }]);
});

test('a user who left the domain is one failure and does not pause the pair', async () => {
  fixture().drive.departed.add('gone@example.com');
  const settings = { my_drive_emails: 'admin@example.com, gone@example.com' };
  const { ids, failures } = await poll({ settings });
  expect(ids).toHaveLength(8);
  expect(failures).toMatchObject([
    { entityId: 'files of gone@example.com', reason: expect.stringContaining('Invalid email') },
  ]);
  fixture().drive.departed.add('admin@example.com');
  fixture().drive.revokeTokens();
  test_().memory.clear();
  await expect(poll()).rejects.toMatchObject({ name: 'CredentialRejected' });
});

test('a file that becomes undownloadable or empty is skipped, and removed from the index', async () => {
  await poll();
  const page = { modifiedTime: SINCE.toISOString() };
  const capabilities = { canDownload: false };
  fixture().drive.write({ id: '1file-page_1', name: 'page 1', capabilities, ...page });
  fixture().drive.write({ id: '1file-page_2', name: 'page 2', content: Buffer.alloc(0), ...page });
  const second = await poll({ since: SINCE });
  expect(second.skipped.map(({ reason }) => reason).toSorted()).toEqual([
    'a file whose owner forbids downloads',
    'an empty file',
  ]);
  expect(second.failures).toEqual([]);
  expect(second.removed.toSorted()).toEqual([idOf('1file-page_1'), idOf('1file-page_2')]);
  expect(await listIds()).toHaveLength(6);
});

test('files last changed before the start of the first run are not read, even in a full listing', async () => {
  const since = new Date(Date.UTC(2026, 0, 5));
  const first = await poll({ since });
  expect(first.ids.length).toBeGreaterThan(0);
  expect(first.ids.length).toBeLessThan(8);
  fixture().drive.expireChangeTokens();
  const second = await poll({ since: SINCE });
  expect(second.ids).toEqual([]);
  expect(second.unchanged).toHaveLength(first.ids.length);
});

test('a slow download saves what has been read, and the listing finds it unchanged', async () => {
  for (let index = 0; index < 100; index += 1) fixture().put(`more ${index}`, 'Words.', SINCE);
  const limited = new Set<string>();
  fixture().server.fault = ({ url }) => {
    if (url.searchParams.get('alt') !== 'media' || limited.has(url.pathname)) return null;
    limited.add(url.pathname);
    return { kind: 'status', status: 429, headers: { 'retry-after': '40' } };
  };
  const { pages, ids } = await poll();
  expect(Math.max(...pages.map(({ documents }) => documents.length))).toBeLessThanOrEqual(8);
  expect(new Set(ids).size).toBe(108);
  expect(ids).toHaveLength(108);
  const resumed = await poll({ checkpoint: pages[2]?.checkpoint });
  expect(resumed.ids).toEqual([]);
});

test('an incomplete search by Google is not treated as complete', async () => {
  fixture().server.fault = ({ url }) =>
    url.pathname === '/drive/v3/files'
      ? { kind: 'status', status: 200, body: { files: [], incompleteSearch: true } }
      : null;
  await expect(poll()).rejects.toMatchObject({ name: 'SourceUnavailable' });
  await expect(listIds()).rejects.toMatchObject({ name: 'SourceUnavailable' });
});

test('a drive shared after a first run without any is read from the beginning', async () => {
  const settings = { include_shared_drives: true };
  const none = { kind: 'status', status: 200, body: { drives: [] } } as const;
  fixture().server.fault = ({ url }) => (url.pathname === '/drive/v3/drives' ? none : null);
  expect((await poll({ settings })).ids).toEqual([]);
  fixture().server.fault = () => null;
  const content = Buffer.from('In the drive.');
  fixture().drive.write({ id: '1old', name: 'old.txt', driveId: '0AHandbookDrive', content });
  expect((await poll({ settings, since: SINCE })).ids).toEqual([idOf('1old')]);
});
