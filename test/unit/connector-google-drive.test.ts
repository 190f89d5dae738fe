import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source-errors.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import {
  ADMIN,
  DRIVE_ID,
  type DriveFixture,
  error,
  startFixture,
} from '#test/fixtures/connectors/google_drive.ts';

const GOOGLE = 'application/vnd.google-apps.';
const SINCE = new Date('2026-01-20T00:00:00Z');

let fixture: DriveFixture;
let test_: TestContext;

beforeEach(async () => {
  fixture = await startFixture();
  test_ = openTestContext();
});

afterEach(async () => {
  await test_[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

function inputs(
  settings: Record<string, unknown> = fixture.settings,
  credential: Record<string, unknown> = fixture.credential,
): [unknown, unknown] {
  const { connector } = fixture;
  return [connector.settings.parse(settings), connector.credential.parse(credential)];
}

async function poll(
  options: { settings?: Record<string, unknown>; checkpoint?: unknown; since?: Date | null } = {},
) {
  const { settings, checkpoint = null, since = null } = options;
  const context = { ...test_.context, since };
  const polled = fixture.connector.poll(...inputs(settings), checkpoint, context);
  return gather(await collectPages(polled, test_));
}

function gather(pages: Awaited<ReturnType<typeof collectPages>>) {
  return {
    pages,
    ids: pages.flatMap((page) => page.documents.map(({ id }) => id)),
    documents: pages.flatMap((page) => page.documents),
    unchanged: pages.flatMap((page) => page.unchanged),
    skipped: pages.flatMap((page) => page.skipped),
    failures: pages.flatMap((page) => page.failures),
    removed: pages.flatMap((page) => page.removed),
  };
}

const idOf = (fileId: string): string => `https://drive.google.com/file/d/${fileId}`;
const listings = (): number =>
  fixture.server.requests.filter(({ url }) => url.pathname === '/drive/v3/files').length;
const requestsTo = (path: string): number =>
  fixture.server.requests.filter(({ url }) => url.pathname.startsWith(path)).length;

describe('the credential', () => {
  test('a grant that Google refuses is rejected in its words', async () => {
    fixture.expireCredential?.();
    const check = fixture.connector.check(...inputs(), test_.context);
    await expect(check).rejects.toThrow(CredentialRejected);
    await expect(check).rejects.toThrow(/invalid_grant: Token has been expired or revoked\./);
  });

  test('a token that ends in the middle of a run is renewed once, and without a grant the run ends', async () => {
    const polling = fixture.connector
      .poll(...inputs(), null, test_.context)
      [Symbol.asyncIterator]();
    await polling.next();
    fixture.drive.revokeTokens();
    expect((await polling.next()).done).toBe(false);
    expect(requestsTo('/token')).toBe(2);
    fixture.server.fault = ({ url }) =>
      url.pathname === '/token'
        ? null
        : {
            kind: 'status',
            status: 401,
            body: error(401, 'authError', 'Invalid Credentials').body ?? '',
          };
    await expect(polling.next()).rejects.toThrow(/Invalid Credentials/);
    expect(requestsTo('/token')).toBe(3);
  });

  test('tokens of a user work as those of a service account do, for that user alone', async () => {
    const credential = {
      google_tokens: JSON.stringify({
        refresh_token: 'refresh',
        client_id: 'client',
        client_secret: 'client-secret',
        token_uri: `${fixture.server.url}/token`,
      }),
    };
    await fixture.connector.check(
      ...inputs({ include_my_drives: true }, credential),
      test_.context,
    );
    await expect(
      fixture.connector.check(
        ...inputs({ my_drive_emails: 'ben@example.com' }, credential),
        test_.context,
      ),
    ).rejects.toThrow(/need google_service_account_key/);
  });

  test('what is no key file is named when the credential is made', () => {
    expect(() =>
      inputs(undefined, { google_service_account_key: '{"client_email": "a"}' }),
    ).toThrow(/private_key/);
    expect(() => inputs(undefined, { google_service_account_key: 'no json' })).toThrow(/JSON/);
    expect(() => inputs(undefined, {})).toThrow(/Give one of/);
  });
});

describe('the settings', () => {
  test('need something to read, and addresses that are addresses', () => {
    expect(() => inputs({})).toThrow(/Set at least one of include_shared_drives/);
    expect(() => inputs({ shared_folder_urls: 'https://example.com/' })).toThrow(
      /is no address of a folder/,
    );
    expect(() => inputs({ folders: 'x' })).toThrow(/folders/);
  });

  test('a folder that cannot be seen is refused', async () => {
    await expect(
      fixture.connector.check(
        ...inputs({
          shared_folder_urls:
            'https://drive.google.com/drive/u/0/folders/1missingfolder?usp=sharing',
        }),
        test_.context,
      ),
    ).rejects.toThrow(/folder 1missingfolder cannot be seen by admin@example\.com/);
  });
});

describe('what Google refuses', () => {
  test('userRateLimitExceeded is waited for; an API that is not enabled fails the run', async () => {
    let left = 2;
    fixture.server.fault = ({ url }) => {
      if (url.pathname !== '/drive/v3/files' || left === 0) return null;
      left -= 1;
      return {
        kind: 'status',
        status: 403,
        body: error(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded').body ?? '',
      };
    };
    expect((await poll()).ids).toHaveLength(8);
    expect(test_.waits).toEqual([5_000, 5_000]);
    fixture.server.fault = ({ url }) =>
      url.pathname === '/token'
        ? null
        : {
            kind: 'status',
            status: 403,
            body:
              error(403, 'accessNotConfigured', 'Drive API has not been used in project 7 before')
                .body ?? '',
          };
    await expect(poll()).rejects.toThrow(SourceRefused);
    await expect(poll()).rejects.toThrow(/has not been used in project 7/);
  });

  test('an export that is too large is one failure, which is tried again by itself', async () => {
    fixture.drive.write({
      id: '1large',
      name: 'Large',
      mimeType: `${GOOGLE}document`,
      content: Buffer.alloc(11 * 1024 * 1024, 'a'),
    });
    const first = await poll();
    expect(first.ids).toHaveLength(8);
    expect(first.failures).toMatchObject([
      {
        documentId: idOf('1large'),
        reason: 'Large: This file is too large to be exported. (exportSizeLimitExceeded)',
      },
    ]);
    fixture.drive.write({ id: '1large', name: 'Large', content: Buffer.from('Shorter.') });
    const again = fixture.connector.fetchAgain?.(
      ...inputs(),
      [idOf('1large'), idOf('1never')],
      test_.context,
    );
    const pages = [];
    for await (const page of again ?? []) pages.push(page);
    expect(pages).toMatchObject([
      { documents: [{ id: idOf('1large') }], removed: [idOf('1never')] },
    ]);
  });

  test('a gateway that answers in its place is not taken for a file', async () => {
    fixture.server.fault = ({ url }) =>
      url.searchParams.get('alt') === 'media' || url.pathname.endsWith('/export')
        ? { kind: 'wrong-json' }
        : null;
    const { documents, failures } = await poll().catch((reason: unknown) => {
      expect(reason).toBeInstanceOf(SourceUnavailable);
      return { documents: [], failures: [] };
    });
    expect(documents).toEqual([]);
    expect(failures).toEqual([]);
  });
});

describe('a poll', () => {
  test('lists all, and the next one only what changed, with what is gone', async () => {
    const first = await poll();
    expect(first.ids.toSorted()).toEqual(fixture.ids().toSorted());
    expect(first.pages.length).toBeGreaterThanOrEqual(3);
    const before = listings();
    const changed = fixture.put('page 2', 'Another text.', SINCE);
    fixture.remove('page 3');
    fixture.drive.erase('1file-page_4');
    const second = await poll({ since: SINCE });
    expect(second.ids).toEqual([changed]);
    expect(second.removed.toSorted()).toEqual([idOf('1file-page_3'), idOf('1file-page_4')]);
    expect(listings()).toBe(before);
    expect((await poll({ since: SINCE })).pages).toMatchObject([{ documents: [], removed: [] }]);
  });

  test('lists everything when the changes are no longer known, and fetches only what is new', async () => {
    await poll();
    const changed = fixture.put('page 9', 'New.', SINCE);
    fixture.drive.forgetChanges();
    const before = requestsTo('/drive/v3/files/');
    const second = await poll({ since: SINCE });
    expect(second.ids).toEqual([changed]);
    expect(second.unchanged).toHaveLength(8);
    expect(requestsTo('/drive/v3/files/') - before).toBe(1);
  });

  test('goes on from every checkpoint, and from the beginning when a page token has ended', async () => {
    const { pages } = await poll();
    for (const [index, page] of pages.entries()) {
      const later = pages
        .slice(index + 1)
        .flatMap(({ documents }) => documents.map(({ id }) => id));
      test_.memory.clear();
      expect((await poll({ checkpoint: page.checkpoint })).ids).toEqual(later);
    }
    const checkpoint = structuredClone(pages[0]?.checkpoint);
    const stale = JSON.parse(JSON.stringify(checkpoint).replace('after:3', 'ended'));
    expect((await poll({ checkpoint: stale })).ids.toSorted()).toEqual(fixture.ids().toSorted());
  });

  test('takes Markdown without its pictures, falls back for other exports, and skips what has no text', async () => {
    fixture.drive.files.clear();
    fixture.drive.write({
      id: '1doc',
      name: 'Plan',
      mimeType: `${GOOGLE}document`,
      modifiedTime: '2026-03-01T00:00:00.000Z',
      content: Buffer.from(
        '# Plan\n\nBefore ![][image1] after.\n\n[image1]: <data:image/png;base64,AAAA>\n',
      ),
    });
    fixture.drive.write({
      id: '1slides',
      name: 'Talk',
      mimeType: `${GOOGLE}presentation`,
      content: Buffer.from('First slide'),
    });
    fixture.drive.write({ id: '1form', name: 'Form', mimeType: `${GOOGLE}form` });
    fixture.drive.write({
      id: '1png',
      name: 'a.png',
      mimeType: 'image/png',
      content: Buffer.from('x'),
    });
    fixture.drive.write({ id: '1empty', name: 'empty.txt' });
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

  test('walks folders to their depths and follows shortcuts to files', async () => {
    const { drive } = fixture;
    drive.files.clear();
    drive.write({ id: '1rootfolder', name: 'Root', mimeType: `${GOOGLE}folder` });
    drive.write({ id: '1sub', name: 'Sub', mimeType: `${GOOGLE}folder`, parents: ['1rootfolder'] });
    drive.write({ id: '1deep', name: 'Deep', mimeType: `${GOOGLE}folder`, parents: ['1sub'] });
    const text = Buffer.from('Text.');
    drive.write({ id: '1top', name: 'top.txt', content: text, parents: ['1rootfolder'] });
    drive.write({ id: '1bottom', name: 'bottom.txt', content: text, parents: ['1deep'] });
    drive.write({ id: '1elsewhere', name: 'elsewhere.txt', content: text });
    drive.write({
      ...{ id: '1short', name: 'shortcut', mimeType: `${GOOGLE}shortcut`, parents: ['1deep'] },
      shortcutDetails: { targetId: '1elsewhere', targetMimeType: 'text/plain' },
    });
    drive.write({
      ...{ id: '1broken', name: 'broken', mimeType: `${GOOGLE}shortcut`, parents: ['1deep'] },
      shortcutDetails: { targetId: '1nowhere', targetMimeType: 'text/plain' },
    });
    const settings = { shared_folder_urls: 'https://drive.google.com/drive/folders/1rootfolder' };
    const { ids, skipped } = await poll({ settings });
    expect(ids.toSorted()).toEqual([idOf('1bottom'), idOf('1elsewhere'), idOf('1top')]);
    expect(skipped).toMatchObject([{ reason: 'a shortcut to a file that cannot be seen' }]);
    const listed: string[] = [];
    for await (const portion of fixture.connector.listIds(...inputs(settings), test_.context))
      listed.push(...portion);
    expect(listed).toEqual(expect.arrayContaining(ids));
  });

  test('reads shared drives and the My Drives of the domain; what leaves one of several is left to pruning', async () => {
    fixture.drive.write({
      id: '1indrive',
      name: 'drive.txt',
      driveId: DRIVE_ID,
      content: Buffer.from('In the drive.'),
    });
    fixture.drive.write({
      id: '1bens',
      name: 'ben.txt',
      owner: 'ben@example.com',
      content: Buffer.from("Ben's."),
    });
    const settings = { include_shared_drives: true, include_my_drives: true };
    expect((await poll({ settings })).ids.toSorted()).toEqual(fixture.ids().toSorted());
    fixture.drive.erase('1indrive');
    fixture.drive.write({ id: '1bens', name: 'ben.txt', trashed: true });
    const second = await poll({ settings, since: SINCE });
    expect(new Set(second.removed)).toEqual(new Set([idOf('1bens')]));
  });

  test('one drive that is refused does not keep the others from being read', async () => {
    const settings = {
      ...fixture.settings,
      shared_drive_urls: 'https://drive.google.com/drive/folders/0ANotMineAtAll',
    };
    fixture.server.fault = ({ url }) =>
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
    await expect(async () => {
      for await (const _ of fixture.connector.listIds(...inputs(settings), test_.context));
    }).rejects.toThrow(SourceRefused);
  });

  test('leaves out what the domain may open only by its link, and then lists in every run', async () => {
    fixture.drive.write({ id: '1file-page_1', name: 'page 1', visibility: 'domainWithLink' });
    const settings = { ...fixture.settings, exclude_domain_link_only: true };
    expect((await poll({ settings })).ids).not.toContain(idOf('1file-page_1'));
    expect((await poll({ settings, since: SINCE })).unchanged).toHaveLength(7);
    expect(requestsTo('/drive/v3/changes')).toBe(0);
  });
});
