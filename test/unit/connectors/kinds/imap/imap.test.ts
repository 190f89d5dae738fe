import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createImapConnector } from '#src/connectors/kinds/imap/imap.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { type ImapFixture, startFixture } from '#test/fixtures/connectors/imap.ts';

const LINK = 'mid:3%40example.com';
const SINCE = new Date('2026-01-20T00:00:00Z');

let fixture: ImapFixture;
let test_: TestContext;

beforeEach(async () => {
  fixture = await startFixture();
  test_ = openTestContext();
});

afterEach(async () => {
  await test_[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

function inputs(settings: Record<string, unknown> = {}): [unknown, unknown] {
  const { connector } = fixture;
  return [
    connector.settings.parse({ ...fixture.settings, ...settings }),
    connector.credential.parse(fixture.credential),
  ];
}

async function poll(
  options: { settings?: Record<string, unknown>; checkpoint?: unknown; since?: Date | null } = {},
) {
  const { settings, checkpoint = null, since = null } = options;
  if (checkpoint !== null) test_.memory.clear();
  const context = { ...test_.context, since };
  const polled = fixture.connector.poll(...inputs(settings), checkpoint, context);
  const pages = await collectPages(polled, test_);
  const documents = pages.flatMap((page) => page.documents);
  return {
    pages,
    documents,
    ids: documents.map(({ id }) => id),
    failures: pages.flatMap((page) => page.failures),
  };
}

const all = (): string[] => fixture.ids().toSorted();

describe('a server', () => {
  test('that refuses the sign-in causes a rejected credential, in its own words', async () => {
    fixture.expireCredential?.();
    const check = fixture.connector.check(...inputs(), test_.context);
    await expect(check).rejects.toThrow(CredentialRejected);
    await expect(check).rejects.toThrow('127.0.0.1: Invalid credentials (Failure)');
  });

  test('that refuses the sign-in temporarily is retried later', async () => {
    fixture.fault = (command) =>
      command.startsWith('LOGIN') ? { answer: 'NO [UNAVAILABLE] The directory is down' } : null;
    await expect(poll()).rejects.toThrow(SourceUnavailable);
  });

  test('that breaks the connection makes the run wait, and it resumes from its checkpoint', async () => {
    const seen: string[] = [];
    let checkpoint: unknown = null;
    fixture.fault = (command) => (command.startsWith('EXAMINE PROJECTS') ? 'drop' : null);
    await expect(async () => {
      for await (const page of fixture.connector.poll(...inputs(), null, test_.context)) {
        seen.push(...page.documents.map(({ id }) => id));
        ({ checkpoint } = page);
      }
    }).rejects.toThrow(SourceUnavailable);
    fixture.fault = () => null;
    seen.push(...(await poll({ checkpoint })).ids);
    expect(seen.toSorted()).toEqual(all());
  });

  test('that is silent is disconnected on abort', async () => {
    fixture.fault = (command) => (command.startsWith('UID SEARCH') ? 'hang' : null);
    const stop = new AbortController();
    const context = { ...test_.context, signal: stop.signal };
    const polling = collectPages(fixture.connector.poll(...inputs(), null, context));
    const ended = expect(polling).rejects.toThrow('The run was stopped.');
    while (!fixture.log.some((line) => line.startsWith('UID SEARCH'))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    stop.abort(new Error('The run was stopped.'));
    await ended;
  });

  test('that ends the connection between two pages does not look like an empty mailbox', async () => {
    fixture.fill(200, SINCE);
    const polling = fixture.connector
      .poll(...inputs(), null, test_.context)
      [Symbol.asyncIterator]();
    await polling.next();
    fixture.hangUp();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await expect(polling.next()).rejects.toThrow(SourceUnavailable);
  });

  test('that refuses a list does not look like an account without mailboxes', async () => {
    fixture.fault = (command) => (command.startsWith('LIST') ? { answer: 'NO Not now' } : null);
    await expect(collectIds()).rejects.toThrow(/Not now|did not list/);
  });

  test('that refuses a fetch does not look like a missing message', async () => {
    fixture.fault = (command) =>
      command.startsWith('UID FETCH') ? { answer: 'NO Not now' } : null;
    await expect(poll()).rejects.toThrow(/Not now/);
    fixture.fault = (command) => (command.includes('BODY.PEEK') ? { answer: 'NO Not now' } : null);
    await expect(poll()).rejects.toThrow(/Not now/);
  });

  test('that refuses a search does not look like an empty mailbox', async () => {
    fixture.fault = (command) =>
      command.startsWith('UID SEARCH') ? { answer: 'NO Not now' } : null;
    await expect(poll()).rejects.toThrow(SourceUnavailable);
    await expect(collectIds()).rejects.toThrow(SourceUnavailable);
  });

  test('without STARTTLS receives nothing in clear text', async () => {
    const strict = createImapConnector();
    await expect(strict.check(...inputs(), test_.context)).rejects.toThrow(
      /does not support STARTTLS/,
    );
    expect(fixture.log).not.toContain('LOGIN');
  });

  test('at a forbidden address is refused', async () => {
    const check = fixture.connector.check(...inputs({ host: '169.254.169.254' }), test_.context);
    await expect(check).rejects.toThrow(SourceRefused);
  });

  test('without the mailbox fails the check and a listing, and causes one failure in a run', async () => {
    const settings = { mailboxes: ['INBOX', 'Nowhere'] };
    await expect(fixture.connector.check(...inputs(settings), test_.context)).rejects.toThrow(
      /Unknown mailbox: Nowhere/,
    );
    const { documents, failures } = await poll({ settings });
    expect(documents.length).toBeGreaterThan(0);
    expect(failures).toMatchObject([
      { entityId: 'Nowhere', reason: expect.stringContaining('Unknown mailbox') },
    ]);
    await expect(collectIds(settings)).rejects.toThrow(SourceRefused);
  });
});

async function collectIds(settings: Record<string, unknown> = {}): Promise<string[]> {
  const portions = fixture.connector.listIds(...inputs(settings), test_.context);
  return (await Array.fromAsync(portions)).flat();
}

describe('a poll', () => {
  test('reads every mailbox except trash and junk, and lists the same ids', async () => {
    fixture.deliver('Trash', 'Subject: gone\n\nGone.');
    fixture.deliver('Spam', 'Subject: win\n\nWin.');
    expect((await poll()).ids.toSorted()).toEqual(all());
    expect((await collectIds()).toSorted()).toEqual(all());
    expect(fixture.log.filter((line) => line.startsWith('SELECT'))).toEqual([]);
  });

  test('reads only above the highest UID, whatever the date', async () => {
    await poll();
    const old = fixture.deliver(
      'INBOX',
      'Subject: moved here\n\nAn old message.',
      new Date('2020-01-01T00:00:00Z'),
    );
    expect((await poll({ since: SINCE })).ids).toEqual([old]);
    expect((await poll({ since: SINCE })).ids).toEqual([]);
  });

  test('restarts a mailbox when its UIDVALIDITY changes', async () => {
    const { pages } = await poll();
    const inbox = fixture.mailboxes.get('INBOX');
    if (!inbox) throw new Error('The fixture has an INBOX.');
    inbox.uidValidity = 8;
    const { ids } = await poll({ since: SINCE });
    expect(ids).toHaveLength(inbox.messages.length);
    const resumed = await poll({ checkpoint: pages[0]?.checkpoint });
    expect(resumed.ids.toSorted()).toEqual(all());
  });

  test('omits messages older than the first run reaches, but nothing of a mailbox created later', async () => {
    const first = await poll({ since: SINCE });
    expect(first.ids).toEqual([]);
    const recent = fixture.deliver(
      'INBOX',
      'Subject: new\n\nNew.',
      new Date('2026-01-25T00:00:00Z'),
    );
    expect((await poll({ since: SINCE })).ids).toEqual([recent]);
    test_.memory.clear();
    await poll();
    fixture.mailboxes.set('Archive', { flags: '', uidValidity: 1, messages: [], nextUid: 1 });
    fixture.deliver('Archive', 'Subject: old\n\nOld.', new Date('2020-01-01T00:00:00Z'));
    expect((await poll({ since: SINCE })).ids).toHaveLength(1);
  });

  test('resumes from every checkpoint', async () => {
    fixture.fill(60, SINCE);
    const { pages } = await poll();
    expect(pages.length).toBeGreaterThanOrEqual(3);
    for (const [index, page] of pages.entries()) {
      const later = pages
        .slice(index + 1)
        .flatMap(({ documents }) => documents.map(({ id }) => id));
      expect((await poll({ checkpoint: page.checkpoint })).ids).toEqual(later);
    }
  });

  test('reads only the mailbox with all mail when there is one', async () => {
    fixture.mailboxes.set('All Mail', { flags: '\\All', uidValidity: 1, messages: [], nextUid: 1 });
    const id = fixture.deliver('All Mail', 'Subject: all\n\nAll.');
    expect((await poll()).ids).toEqual([id]);
  });

  test('turns a message with its attachments into a document', async () => {
    const id = fixture.deliver(
      'Projects/Alpha Beta',
      [
        'From: "Cleo" <cleo@example.com>',
        'To: ann@example.com, Team: ben@example.com, dan@example.com;',
        'Subject: =?utf-8?q?Pl=C3=A4ne?=',
        'Date: Sat, 03 Jan 2026 10:00:00 +0100',
        'Message-ID: <3@example.com>',
        'References: <1@example.com> <2@example.com>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>See <b>below</b>.</p>',
        '--b',
        'Content-Type: text/csv; name="numbers.csv"',
        'Content-Disposition: attachment; filename="numbers.csv"',
        '',
        'name,count',
        'apples,3',
        '--b',
        'Content-Type: application/pdf; name="broken.pdf"',
        'Content-Disposition: attachment; filename="broken.pdf"',
        '',
        'not a pdf',
        '--b--',
      ].join('\n'),
      new Date('2026-01-03T09:00:05Z'),
    );
    const { documents } = await poll();
    expect(documents.find((document) => document.id === id)).toMatchObject({
      semanticIdentifier: 'Pläne',
      sections: [
        { text: 'See **below**.', link: LINK },
        { text: expect.stringMatching(/^# numbers\.csv\n\n[^]*apples/), link: LINK },
      ],
      metadata: {
        mailbox: 'Projects/Alpha Beta',
        from: 'Cleo <cleo@example.com>',
        to: ['ann@example.com', 'ben@example.com', 'dan@example.com'],
        date: '2026-01-03T09:00:00.000Z',
        thread: '<1@example.com>',
        attachments: ['numbers.csv', 'broken.pdf'],
        unread_attachments: [expect.stringContaining('broken.pdf: ')],
      },
      updatedAt: new Date('2026-01-03T09:00:05Z'),
      primaryOwners: [{ display_name: 'Cleo', email: 'cleo@example.com' }],
    });
  });

  test('reports a message that is too large as one failure, and fetches it again by its id', async () => {
    const id = fixture.deliver('INBOX', `Subject: big\n\n${'a'.repeat(26 * 1024 * 1024)}`);
    const { failures, ids } = await poll({ settings: { mailboxes: ['INBOX'] } });
    expect(failures).toMatchObject([
      { documentId: id, reason: 'The message has 27 MB; the limit is 25 MB.' },
    ]);
    const again = async (documentId: string) => {
      const refetch = fixture.connector.fetchAgain?.(...inputs(), [documentId], test_.context);
      return Array.fromAsync(refetch ?? []);
    };
    expect(await again(id)).toMatchObject([{ failures: [{ documentId: id }] }]);
    // By its Message-ID, wherever it is now.
    expect(await again(ids[0] ?? '')).toMatchObject([{ documents: [{ id: ids[0] }] }]);
    const renumbered = id.replace('UIDVALIDITY=7', 'UIDVALIDITY=6');
    expect(await again(renumbered)).toMatchObject([{ removed: [renumbered] }]);
    expect(await again(`${ids[0]}x`)).toMatchObject([{ removed: [`${ids[0]}x`] }]);
  });
});
