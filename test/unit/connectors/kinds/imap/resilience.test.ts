import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectorPage, PollContext } from '#src/connectors/source/connector.ts';
import { mergePages } from '#src/connectors/source/merge-pages.ts';
import { SourceUnavailable } from '#src/connectors/source/source-errors.ts';
import { type ImapFixture, startFixture } from '#test/fixtures/connectors/imap.ts';
import { openTestContext, type TestContext } from '#test/support/connector-context.ts';

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

/**
 * Polls like the engine: after an outage it resumes from the last page.
 * @returns all pages and the number of outages
 */
async function pollThrough(context: PollContext = test_.context) {
  const pages: ConnectorPage<unknown>[] = [];
  for (let outages = 0; outages < 20; outages += 1) {
    const last = pages.at(-1);
    const from =
      last === undefined
        ? null
        : fixture.connector.checkpoint.parse(JSON.parse(JSON.stringify(last.checkpoint)));
    try {
      for await (const page of fixture.connector.poll(...inputs(), from, context)) pages.push(page);
      return { pages, outages, ...mergePages(pages, 'all') };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
    }
  }
  return { pages, outages: 20, ...mergePages(pages, 'all') };
}

async function fetchAgain(ids: readonly string[]): Promise<ConnectorPage<unknown>[]> {
  const again = fixture.connector.fetchAgain?.(...inputs(), ids, test_.context);
  return (await Array.fromAsync(again ?? [])).map((page) => ({ ...page, checkpoint: null }));
}

function fetchesOf(uid: number): (command: string) => boolean {
  return (command) => command.startsWith(`UID FETCH ${uid} `) && command.includes('BODY.PEEK[]');
}

test.each([
  'NO [ALERT] Too many simultaneous connections. (Failure)',
  'NO [LIMIT] Rate limit hit',
  'NO Temporary authentication failure, try again later',
  'BAD User is authenticated but not connected.',
])('a sign-in answered with "%s" is not a rejected credential', async (answer) => {
  fixture.fault = (command) => (command.startsWith('LOGIN') ? { answer } : null);
  const check = fixture.connector.check(...inputs(), test_.context);
  await expect(check).rejects.toBeInstanceOf(SourceUnavailable);
});

test('an endless answer is given up before it exhausts memory', async () => {
  const piece = `* 1 FETCH (UID 1 BODY[]<0> {1000000}\r\n${'x'.repeat(1_000_000)})\r\n`;
  let sent = 0;
  const pieces = function* (): Generator<string> {
    for (; sent < 300; sent += 1) yield piece;
  };
  fixture.fault = (command) => (command.startsWith('UID FETCH') ? { untagged: pieces() } : null);
  const poll = fixture.connector.poll(...inputs(), null, test_.context);
  await expect(Array.fromAsync(poll)).rejects.toThrow('answered with more than 32 MB');
  expect(sent).toBeLessThan(300);
});

describe('a single problem message', () => {
  test('that always breaks the connection is one failure, and all others are read', async () => {
    const isBroken = fetchesOf(4);
    fixture.fault = (command) => (isBroken(command) ? 'drop' : null);
    const { documents, failures } = await pollThrough();
    const broken = failures.map(({ documentId }) => documentId);
    // Each of the three mailboxes has a message with this UID.
    expect(broken).toHaveLength(3);
    const ids = [...documents.map(({ id }) => id), ...broken.flatMap((id) => id ?? [])];
    expect(ids.toSorted()).toEqual(fixture.ids().toSorted());
  });

  test('during which the connection breaks once costs no message and no failure', async () => {
    const isBroken = fetchesOf(4);
    let isFirst = true;
    fixture.fault = (command) => {
      if (!isFirst || !isBroken(command)) return null;
      isFirst = false;
      return 'drop';
    };
    const { documents, failures, outages } = await pollThrough();
    expect(documents.map(({ id }) => id).toSorted()).toEqual(fixture.ids().toSorted());
    expect([failures, outages]).toEqual([[], 1]);
  });

  test('is not blamed when the server breaks at every message', async () => {
    fixture.fill(30, new Date('2026-01-20T00:00:00Z'));
    fixture.fault = (command) => (command.includes('BODY.PEEK[]') ? 'drop' : null);
    const { failures, outages } = await pollThrough();
    expect(outages).toBe(20);
    expect(failures.length).toBeLessThanOrEqual(3);
  });

  test('that is refused is one failure', async () => {
    const isRefused = fetchesOf(4);
    fixture.fault = (command) => (isRefused(command) ? { answer: 'NO Message is damaged' } : null);
    const { documents, failures } = await pollThrough();
    expect(failures).toHaveLength(3);
    expect(failures[0]?.reason).toContain('Message is damaged');
    expect(documents).toHaveLength(fixture.ids().length - 3);
  });
});

describe('messages that failed before', () => {
  const mail = (id: string, text: string): string => `Subject: s\nMessage-ID: <${id}>\n\n${text}`;

  test('are distinguished from others whose Message-ID contains theirs', async () => {
    const id = fixture.deliver('INBOX', mail('1@x.example', 'The right one.'));
    fixture.deliver('INBOX', mail('21@x.example', 'Another one.'));
    const [page] = await fetchAgain([id]);
    expect(page?.documents).toMatchObject([{ id, sections: [{ text: 'The right one.' }] }]);
  });

  test('are found despite a mailbox that cannot be opened, and are then not reported as gone', async () => {
    const id = fixture.deliver('Projects', mail('7@x.example', 'Here.'));
    fixture.fault = (command) =>
      command.startsWith('EXAMINE INBOX') ? { answer: 'NO Mailbox is damaged' } : null;
    const missing = id.replace('7%40', '8%40');
    const [found, lost] = await fetchAgain([id, missing]);
    expect(found?.documents).toMatchObject([{ id }]);
    expect(lost).toMatchObject({ removed: [], failures: [{ documentId: missing }] });
  });

  test('of another account are not found in this one', async () => {
    const id = fixture.deliver('INBOX', mail('7@x.example', 'Here.'));
    const others = id.replace('ann%40', 'bob%40');
    expect(await fetchAgain([others])).toMatchObject([{ documents: [], removed: [others] }]);
  });

  test('report which of them breaks the connection, so that the others come first next time', async () => {
    const [id = ''] = fixture.ids();
    fixture.fault = (command) => (command.includes('BODY.PEEK[]') ? 'drop' : null);
    const again = fixture.connector.fetchAgain?.(...inputs(), [id], test_.context);
    const pages = again?.[Symbol.asyncIterator]();
    expect((await pages?.next())?.value).toMatchObject({ failures: [{ documentId: id }] });
    await expect(pages?.next()).rejects.toBeInstanceOf(SourceUnavailable);
  });
});

test('on a slow server, what has been read is saved every minute', async () => {
  fixture.fill(40, new Date('2026-01-20T00:00:00Z'));
  let nowMs = Date.now();
  const clock = (): Date => new Date((nowMs += 10_000));
  const { pages, documents } = await pollThrough({ ...test_.context, clock });
  expect(Math.max(...pages.map((page) => page.documents.length))).toBeLessThanOrEqual(7);
  expect(documents.map(({ id }) => id).toSorted()).toEqual(fixture.ids().toSorted());
  expect(documents).toHaveLength(fixture.ids().length);
});

test('an unreadable mailbox does not restart the others', async () => {
  fixture.fault = (command) =>
    command.startsWith('EXAMINE PROJECTS') ? { answer: 'NO Mailbox is damaged' } : null;
  const remember = async () => {
    const run = await pollThrough();
    for (const entry of run.memory) test_.memory.set(entry.key, entry);
    return run;
  };
  expect((await remember()).documents.length).toBeGreaterThan(0);
  expect((await remember()).documents).toEqual([]);
  fixture.fault = () => null;
  expect((await remember()).documents.length).toBeGreaterThan(0);
});
