// @module-tag peers
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imap } from '#src/connectors/kinds/imap/imap.ts';
import { CredentialRejected, SourceRefused } from '#src/connectors/source/source-errors.ts';
import { drivePeer, type PeerDrive } from '#test/support/drive-peer.ts';
import { type MailAccount, mailPeer, openMailAccount } from '#test/support/mail-peer.ts';

const LETTERS = 'Entwürfe/日本 & Söhne';

let opened: AsyncDisposableStack;
let account: MailAccount;
let drive: PeerDrive;

const driveWith = (settings: object = {}, credential: object = {}): PeerDrive =>
  opened.use(
    drivePeer(imap, {
      settings: { ...account.settings, ...settings },
      credential: { ...account.credential, ...credential },
    }),
  );

const subjects = ({ documents }: { documents: { title: string | null }[] }): string[] =>
  documents.map(({ title }) => title ?? '').toSorted();

describe.skipIf(!process.env['TEST_IMAP_URL'])('IMAP at Dovecot (needs TEST_IMAP_URL)', () => {
  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    account = opened.use(await openMailAccount());
    drive = driveWith();
  });
  afterEach(() => opened.disposeAsync());

  it('reads every mailbox except the trash, whatever characters its name has', async () => {
    await account.owner.mailboxCreate(LETTERS);
    await account.add('INBOX', { id: 'one@peer.example', subject: 'One' });
    await account.add(LETTERS, { id: 'two@peer.example', subject: '=?utf-8?B?w5xiZXI=?=' });
    await account.add('Trash', { id: 'three@peer.example', subject: 'Three' });
    const run = await drive.poll();
    expect(run.failures).toEqual([]);
    expect(subjects(run)).toEqual(['One', 'Über']);
    expect(run.documents.map(({ metadata }) => metadata['mailbox'])).toEqual([LETTERS, 'INBOX']);
    expect((await drive.list()).toSorted()).toEqual(run.documents.map(({ id }) => id).toSorted());
    expect(await account.owner.status('INBOX', { unseen: true })).toMatchObject({ unseen: 1 });
  });

  it('fetches only new messages in the next run, and notices deleted ones', async () => {
    await account.add('INBOX', { id: 'old@peer.example', subject: 'Old' });
    await account.add('INBOX', { id: 'bad@peer.example', subject: 'Bad' });
    const first = await drive.poll();
    expect(subjects(first)).toEqual(['Bad', 'Old']);
    await account.add('INBOX', { id: 'new@peer.example', subject: 'New' });
    await account.owner.mailboxOpen('INBOX');
    await account.owner.messageDelete({ header: { 'message-id': 'bad@peer.example' } });
    const second = await drive.poll();
    expect(subjects(second)).toEqual(['New']);
    expect(second.failures).toEqual([]);
    const lost = first.documents.filter(({ title }) => title === 'Bad').map(({ id }) => id);
    const listed = await drive.list();
    expect(listed).toHaveLength(2);
    expect(listed).not.toContain(lost[0]);
    expect(subjects(await drive.fetchAgain(listed))).toEqual(['New', 'Old']);
    expect((await drive.fetchAgain(lost)).removed).toEqual(lost);
  });

  it('continues after the last saved page', async () => {
    for (let number = 1; number <= 30; number += 1) {
      await account.add('INBOX', { id: `${number}@peer.example`, subject: `Number ${number}` });
    }
    const { pages } = await drive.poll();
    expect(pages.map(({ documents }) => documents.length)).toEqual([25, 5]);
    const rest = await driveWith().poll(pages[0]?.checkpoint);
    expect(rest.documents).toEqual(pages[1]?.documents);
  });

  it('reads the attachments of a message', async () => {
    const body = [
      'Content-Type: multipart/mixed; boundary=part',
      '',
      '--part',
      'Content-Type: text/html; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Gr=FC=DFe</p>',
      '--part',
      'Content-Type: text/csv; name="prices.csv"',
      'Content-Disposition: attachment; filename="prices.csv"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('item,price\nanvil,120\n').toString('base64'),
      '--part--',
      '',
    ];
    const message = { id: 'with@peer.example', subject: 'Prices', body: body.join('\r\n') };
    await account.add('INBOX', message);
    const { documents } = await drive.poll();
    const text = documents.flatMap(({ sections }) => sections.map((section) => section.text));
    expect(text.join('\n')).toContain('Grüße');
    expect(text.join('\n')).toMatch(/# prices\.csv[^]*anvil/);
    expect(documents[0]?.metadata).toMatchObject({ attachments: ['prices.csv'] });
  });

  it('keeps message ids when a mailbox gets a new UIDVALIDITY', async () => {
    const fill = async (): Promise<void> => {
      await account.owner.mailboxCreate('Archive');
      await account.add('Archive', { id: 'named@peer.example', subject: 'Named' });
      await account.add('Archive', { id: null, subject: 'Nameless' });
    };
    await fill();
    const before = await drive.poll();
    expect(subjects(before)).toEqual(['Named', 'Nameless']);
    await account.owner.mailboxDelete('Archive');
    await fill();
    const after = await drive.poll();
    const ids = before.documents.map(({ id }) => id);
    expect(after.documents.map(({ id }) => id)).toEqual(ids);
    expect(new Set(await drive.list())).toEqual(new Set(ids));
    expect(subjects(await drive.poll())).toEqual([]);
  });

  it("passes on the server's message about a wrong password, and names a missing mailbox", async () => {
    const wrong = driveWith({}, { imap_password: 'not this one' });
    const rejection: unknown = await wrong.check().catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(CredentialRejected);
    expect(String(rejection)).toMatch(/localhost: .*Authentication failed/);
    const missing: unknown = await driveWith({ mailboxes: ['Nowhere'] })
      .check()
      .catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(SourceRefused);
    expect(String(missing)).toMatch(/Mailbox doesn't exist: Nowhere/);
  });

  it('connects with STARTTLS, and by address instead of name', async () => {
    const port = Number(mailPeer('TEST_IMAP_URL').more.get('starttls'));
    await driveWith({ port, use_tls: false }).check();
    await driveWith({ host: '127.0.0.1' }).check();
    await expect(driveWith({ port }).check()).rejects.toThrow(
      `localhost answers without TLS on port ${port}. Set "use_tls" to false`,
    );
  });
});
