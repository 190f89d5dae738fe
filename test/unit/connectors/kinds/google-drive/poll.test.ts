import { describe, expect, test } from 'vitest';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import { ADMIN, DRIVE_ID, error } from '#test/support/fake-google-drive.ts';
import { useDrive } from './google-drive-harness.ts';

const GOOGLE = 'application/vnd.google-apps.';
const SINCE = new Date('2026-01-20T00:00:00Z');
const { fixture, inputs, poll, idOf, listings, requestsTo, test: test_ } = useDrive();

describe('a poll', () => {
  test('lists everything, and next time only changes and removals', async () => {
    const first = await poll();
    expect(first.ids.toSorted()).toEqual(fixture().ids().toSorted());
    expect(first.pages.length).toBeGreaterThanOrEqual(3);
    const before = listings();
    const changed = fixture().put('page 2', 'Another text.', SINCE);
    fixture().remove('page 3');
    fixture().drive.erase('1file-page_4');
    const second = await poll({ since: SINCE });
    expect(second.ids).toEqual([changed]);
    expect(second.removed.toSorted()).toEqual([idOf('1file-page_3'), idOf('1file-page_4')]);
    expect(listings()).toBe(before);
    expect((await poll({ since: SINCE })).pages).toMatchObject([{ documents: [], removed: [] }]);
  });

  test('lists everything when the changes have expired, but fetches only what is new', async () => {
    await poll();
    const changed = fixture().put('page 9', 'New.', SINCE);
    fixture().drive.expireChangeTokens();
    const before = requestsTo('/drive/v3/files/');
    const second = await poll({ since: SINCE });
    expect(second.ids).toEqual([changed]);
    expect(second.unchanged).toHaveLength(8);
    expect(requestsTo('/drive/v3/files/') - before).toBe(1);
  });

  test('resumes from every checkpoint, and restarts when a page token has expired', async () => {
    const { pages } = await poll();
    for (const [index, page] of pages.entries()) {
      const later = pages
        .slice(index + 1)
        .flatMap(({ documents }) => documents.map(({ id }) => id));
      test_().memory.clear();
      expect((await poll({ checkpoint: page.checkpoint })).ids).toEqual(later);
    }
    const checkpoint = structuredClone(pages[0]?.checkpoint);
    const stale = JSON.parse(JSON.stringify(checkpoint).replace('after:', 'ended:'));
    expect((await poll({ checkpoint: stale })).ids.toSorted()).toEqual(fixture().ids().toSorted());
  });

  test('reads Markdown without its images, falls back for other exports, and skips files without text', async () => {
    fixture().drive.files.clear();
    fixture().drive.write({
      id: '1doc',
      name: 'Plan',
      mimeType: `${GOOGLE}document`,
      modifiedTime: '2026-03-01T00:00:00.000Z',
      content: Buffer.from(
        '# Plan\n\nBefore ![][image1] after.\n\n[image1]: <data:image/png;base64,AAAA>\n',
      ),
    });
    fixture().drive.write({
      id: '1slides',
      name: 'Talk',
      mimeType: `${GOOGLE}presentation`,
      content: Buffer.from('First slide'),
    });
    fixture().drive.write({ id: '1form', name: 'Form', mimeType: `${GOOGLE}form` });
    fixture().drive.write({
      id: '1png',
      name: 'a.png',
      mimeType: 'image/png',
      content: Buffer.from('x'),
    });
    fixture().drive.write({ id: '1empty', name: 'empty.txt' });
    const { documents, skipped, failures } = await poll();
    expect(documents).toContainEqual({
      id: idOf('1doc'),
      semanticIdentifier: 'Plan',
      title: 'Plan',
      sections: [
        {
          text: expect.not.stringContaining('base64'),
          link: 'https://docs.google.com/document/d/1doc/edit?usp=drivesdk',
        },
      ],
      metadata: { file_type: `${GOOGLE}document` },
      updatedAt: new Date('2026-03-01T00:00:00Z'),
      primaryOwners: [{ display_name: 'admin', email: ADMIN }],
      secondaryOwners: [],
      source: null,
    });
    expect(documents).toHaveLength(2);
    expect(failures).toEqual([]);
    expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
      'a kind of Google file that cannot be exported as text',
      'an empty file',
      'not a type of file that holds text',
    ]);
  });

  test('walks nested folders and follows shortcuts to files', async () => {
    const { drive } = fixture();
    drive.files.clear();
    drive.write({ id: '1rootfolder', name: 'Root', mimeType: `${GOOGLE}folder` });
    drive.write({ id: '1sub', name: 'Sub', mimeType: `${GOOGLE}folder`, parents: ['1rootfolder'] });
    drive.write({ id: '1deep', name: 'Deep', mimeType: `${GOOGLE}folder`, parents: ['1sub'] });
    const text = Buffer.from('Text.');
    drive.write({ id: '1top', name: 'top.txt', content: text, parents: ['1rootfolder'] });
    drive.write({ id: '1bottom', name: 'bottom.txt', content: text, parents: ['1deep'] });
    drive.write({ id: '1elsewhere', name: 'elsewhere.txt', content: text });
    drive.write({
      id: '1short',
      name: 'shortcut',
      mimeType: `${GOOGLE}shortcut`,
      parents: ['1deep'],
      shortcutDetails: { targetId: '1elsewhere', targetMimeType: 'text/plain' },
    });
    drive.write({
      id: '1broken',
      name: 'broken',
      mimeType: `${GOOGLE}shortcut`,
      parents: ['1deep'],
      shortcutDetails: { targetId: '1nowhere', targetMimeType: 'text/plain' },
    });
    const settings = { shared_folder_urls: 'https://drive.google.com/drive/folders/1rootfolder' };
    const { ids, skipped } = await poll({ settings });
    expect(ids.toSorted()).toEqual([idOf('1bottom'), idOf('1elsewhere'), idOf('1top')]);
    expect(skipped).toMatchObject([{ reason: 'a shortcut to a file that cannot be seen' }]);
    const listed: string[] = [];
    for await (const portion of fixture().connector.listIds(...inputs(settings), test_().context))
      listed.push(...portion);
    expect(listed).toEqual(expect.arrayContaining(ids));
  });

  test('reads shared drives and the My Drives of the domain, leaving some removals to pruning', async () => {
    fixture().drive.write({
      id: '1indrive',
      name: 'drive.txt',
      driveId: DRIVE_ID,
      content: Buffer.from('In the drive.'),
    });
    fixture().drive.write({
      id: '1bens',
      name: 'ben.txt',
      owner: 'ben@example.com',
      content: Buffer.from("Ben's."),
    });
    const settings = { include_shared_drives: true, include_my_drives: true };
    expect((await poll({ settings })).ids.toSorted()).toEqual(fixture().ids().toSorted());
    fixture().drive.erase('1indrive');
    fixture().drive.write({ id: '1bens', name: 'ben.txt', trashed: true });
    const second = await poll({ settings, since: SINCE });
    expect(new Set(second.removed)).toEqual(new Set([idOf('1bens')]));
  });

  test('reads the other drives when one is refused', async () => {
    const settings = {
      ...fixture().settings,
      shared_drive_urls: 'https://drive.google.com/drive/folders/0ANotMineAtAll',
    };
    fixture().server.fault = ({ url }) =>
      url.searchParams.get('driveId') === '0ANotMineAtAll'
        ? {
            kind: 'status',
            status: 404,
            body: error(404, 'notFound', 'Shared drive not found: 0ANotMineAtAll').body ?? '',
          }
        : null;
    const { ids, failures } = await poll({ settings });
    expect(ids).toHaveLength(8);
    expect(failures).toMatchObject([
      {
        entityId: 'shared drive 0ANotMineAtAll',
        reason: expect.stringContaining('Shared drive not found'),
      },
    ]);
    const listing = fixture().connector.listIds(...inputs(settings), test_().context);
    await expect(Array.fromAsync(listing)).rejects.toThrow(SourceRefused);
  });

  test('excludes files that the domain can open only by link, and then lists in every run', async () => {
    fixture().drive.write({ id: '1file-page_1', name: 'page 1', visibility: 'domainWithLink' });
    const settings = { ...fixture().settings, exclude_domain_link_only: true };
    expect((await poll({ settings })).ids).not.toContain(idOf('1file-page_1'));
    expect((await poll({ settings, since: SINCE })).unchanged).toHaveLength(7);
    expect(requestsTo('/drive/v3/changes')).toBe(0);
  });
});
