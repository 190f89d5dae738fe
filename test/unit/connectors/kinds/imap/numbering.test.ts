import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  collectPages,
  openTestContext,
  type TestContext,
} from '#test/support/connector-context.ts';
import { type ImapFixture, startFixture } from '#test/fixtures/connectors/imap.ts';

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

function inputs(): [unknown, unknown] {
  const { connector } = fixture;
  return [
    connector.settings.parse({ ...fixture.settings, mailboxes: ['INBOX'] }),
    connector.credential.parse(fixture.credential),
  ];
}

async function poll() {
  const polled = fixture.connector.poll(...inputs(), null, { ...test_.context, since: null });
  const documents = (await collectPages(polled, test_)).flatMap((page) => page.documents);
  return { documents, ids: documents.map(({ id }) => id) };
}

test('a renumbered mailbox yields the same documents, with or without a Message-ID', async () => {
  fixture.deliver('INBOX', 'Subject: nameless\n\nWithout a Message-ID.');
  const before = await poll();
  const inbox = fixture.mailboxes.get('INBOX');
  if (!inbox) throw new Error('The fixture has an INBOX.');
  inbox.uidValidity = 8;
  inbox.messages = inbox.messages.map((message) => ({ ...message, uid: message.uid + 100 }));
  inbox.nextUid += 100;
  const after = await poll();
  expect(after.documents).toEqual(before.documents);
  expect(before.documents.some(({ id }) => id.includes('UIDVALIDITY=7'))).toBe(true);
  const listed = await Array.fromAsync(fixture.connector.listIds(...inputs(), test_.context));
  expect(listed.flat().toSorted()).toEqual(before.ids.toSorted());
});

test('two equal messages without a Message-ID stay separate', async () => {
  const source = 'Subject: nameless\n\nTwice the same.';
  const ids = [fixture.deliver('INBOX', source), fixture.deliver('INBOX', source)];
  expect((await poll()).ids).toEqual(expect.arrayContaining(ids));
});
