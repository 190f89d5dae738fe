// @module-tag peers
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import type { Answer } from '#test/support/api-client.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { type MailAccount, mailPeer, openMailAccount } from '#test/support/mail-peer.ts';
import { sampleReport } from '#test/support/returned-mail.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let key: string;
let opened: AsyncDisposableStack;

/** Postfix accepts mail for this domain, and returns it. */
const LATE = 'late.example';

describe.skipIf(!process.env['TEST_POP3_URL'])(
  'returned mail at Postfix and Dovecot (needs TEST_POP3_URL)',
  () => {
    beforeAll(async () => {
      millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8,::1/128' });
      Object.assign(millrace.services, { dns: silentDns });
    });
    afterAll(() => millrace[Symbol.asyncDispose]());
    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      ({ key } = await millrace.createWorkspace());
    });
    afterEach(() => opened.disposeAsync());

    const call = (method: string, path: string, body?: object): Promise<Answer> =>
      millrace.call(method, path, body, { key });
    /** Creates a verified account whose mailbox receives its returned mail. */
    const sender = async (): Promise<string> => {
      const { host, port, user, password } = mailPeer('TEST_SMTP_URL');
      const { body } = await call('POST', '/email-accounts', {
        email: user,
        smtp_host: host,
        smtp_port: port,
        smtp_password: password,
      });
      await sql`update email_account set verified = true where id = ${body.id}`.execute(
        millrace.services.db,
      );
      return body.id;
    };
    const send = async (account: string, to: string): Promise<string> => {
      const { body } = await call('POST', `/email-accounts/${account}/send`, {
        to,
        subject: 'A question about your harbour',
        text: 'How are you?',
      });
      expect(body).toMatchObject({ status: 'sent' });
      return body.id;
    };
    const message = async (id: string) => (await call('GET', `/email-messages/${id}`)).body;
    const mailbox = async (id: string) => (await call('GET', `/bounce-mailboxes/${id}`)).body;
    /** Adds the sender's mailbox, with TLS from the start or STARTTLS. */
    const addMailbox = async (kind: 'imap' | 'pop3', useTls: boolean, fields: object = {}) => {
      const peer = mailPeer(kind === 'imap' ? 'TEST_IMAP_URL' : 'TEST_POP3_URL');
      const { status, body } = await call('POST', '/bounce-mailboxes', {
        kind,
        host: peer.host,
        port: useTls ? peer.port : Number(peer.more.get('starttls')),
        use_tls: useTls,
        username: peer.user,
        password: peer.password,
        ...fields,
      });
      expect([status, body.detail]).toEqual([200, undefined]);
      return body.id as string;
    };
    /** Polls repeatedly, as the schedule does every five minutes. */
    const pollUntil = (id: string, isDone: () => Promise<boolean>): Promise<unknown> =>
      until(async () => {
        if (await isDone()) return true;
        await sql`update bounce_mailbox set last_polled_at = null where id = ${id}`.execute(
          millrace.services.db,
        );
        await call('POST', `/bounce-mailboxes/${id}/poll`);
        return false;
      });
    const polled = (id: string): Promise<unknown> =>
      until(async () => (await mailbox(id)).last_polled_at !== null);
    const ended = async (id: string): Promise<boolean> => (await message(id)).status !== 'sent';

    it.each([
      ['imap', true],
      ['imap', false],
      ['pop3', true],
      ['pop3', false],
    ] as const)(
      'ends messages that Postfix returns to a mailbox read by %s (TLS from the start: %s)',
      async (kind, useTls) => {
        const account = await sender();
        const gone = await send(account, `gone@${LATE}`);
        const full = await send(account, `full@${LATE}`);
        const refused = await send(account, `quarrel@${LATE}`);
        const id = await addMailbox(kind, useTls);
        for (const one of [gone, full, refused]) await pollUntil(id, () => ended(one));
        expect(await message(gone)).toMatchObject({
          status: 'bounced',
          error_class: 'no_such_address',
          returned: { status_code: '5.1.1', do_not_contact: true },
        });
        expect(await message(full)).toMatchObject({
          status: 'bounced',
          error_class: 'mailbox_full',
          returned: { status_code: '5.2.2', do_not_contact: false },
        });
        expect(await message(refused)).toMatchObject({
          status: 'bounced',
          error_class: 'refused',
          returned: { status_code: '5.7.1', do_not_contact: false },
        });
        const { body } = await call('GET', '/do-not-contact');
        expect(body.do_not_contact).toMatchObject([
          { value: `gone@${LATE}`, reason: 'bounced', note: 'A message came back with 5.1.1.' },
        ]);
        await until(async () => (await mailbox(id)).returned_total === 3);
        expect(await mailbox(id)).toMatchObject({ status: 'ok', error: null });
      },
    );

    const complaint = async (account: MailAccount, messageId: string): Promise<void> => {
      await account.owner.append('INBOX', sampleReport('arf-abuse', { messageId }));
    };

    it('ends a message as complained, even after the server renumbered the mailbox', async () => {
      const account = await sender();
      const first = await send(account, mailPeer('TEST_SMTP_URL').user);
      const inbox = opened.use(await openMailAccount());
      await inbox.owner.mailboxCreate('Returns');
      const report = sampleReport('arf-abuse', { messageId: `${first}@peer.example` });
      await inbox.owner.append('Returns', report);
      const { imap_username: username } = inbox.credential;
      const id = await addMailbox('imap', true, { username, folder: 'Returns' });
      await until(() => ended(first));
      expect(await message(first)).toMatchObject({ status: 'complained' });
      const { body } = await call('GET', '/do-not-contact?reason=complained');
      expect(body.do_not_contact).toHaveLength(1);
      await call('DELETE', `/do-not-contact/${body.do_not_contact[0].id}`);

      const second = await send(account, mailPeer('TEST_SMTP_URL').user);
      await inbox.owner.mailboxDelete('Returns');
      await inbox.owner.mailboxCreate('Returns');
      const again = sampleReport('arf-abuse', { messageId: `${second}@peer.example` });
      await inbox.owner.append('Returns', again);
      await pollUntil(id, () => ended(second));
      expect(await message(second)).toMatchObject({ status: 'complained' });
    });

    it('reads only new mail, and changes nothing in the mailbox', async () => {
      const account = await sender();
      const inbox = opened.use(await openMailAccount());
      await inbox.add('INBOX', { id: 'letter@peer.example', subject: 'A letter' });
      const id = await addMailbox('pop3', true, { username: inbox.credential.imap_username });
      await polled(id);
      const sent = await send(account, mailPeer('TEST_SMTP_URL').user);
      await complaint(inbox, `${sent}@peer.example`);
      await pollUntil(id, () => ended(sent));
      const status = await inbox.owner.status('INBOX', { messages: true, unseen: true });
      expect(status).toMatchObject({ messages: 2, unseen: 2 });
    });

    it.each(['imap', 'pop3'] as const)(
      'reports a wrong password of %s, and waits before it tries again',
      async (kind) => {
        const id = await addMailbox(kind, true, { password: 'not this one' });
        await polled(id);
        const found = await mailbox(id);
        expect(found).toMatchObject({ status: 'failing', error_class: 'auth_failed' });
        expect(found.error).toContain('localhost did not accept the user name and password.');
        const waitMs = Date.parse(found.next_poll_at) - Date.parse(found.last_polled_at);
        expect(waitMs).toBeGreaterThan(50 * 60_000);
        const right = mailPeer('TEST_IMAP_URL').password;
        const changed = await call('PATCH', `/bounce-mailboxes/${id}`, { password: right });
        expect(changed.body).toMatchObject({ error: null });
        await until(async () => (await mailbox(id)).status === 'ok');
      },
    );

    it('reports a missing folder, and a server without TLS from the start', async () => {
      const missing = await addMailbox('imap', true, { folder: 'Nowhere' });
      await polled(missing);
      expect(await mailbox(missing)).toMatchObject({ error_class: 'folder_missing' });
      for (const [kind, name] of [
        ['imap', 'TEST_IMAP_URL'],
        ['pop3', 'TEST_POP3_URL'],
      ] as const) {
        const port = Number(mailPeer(name).more.get('starttls'));
        const id = await addMailbox(kind, true, { port });
        await polled(id);
        expect(await mailbox(id)).toMatchObject({ error_class: 'tls_mode_mismatch' });
      }
    });
  },
);
