import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyReturn } from '#src/email/bounces/apply-return.ts';
import type { ReportSource } from '#src/email/bounces/find-returned.ts';
import { readReport } from '#src/email/bounces/read-report.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import type { EmailMessageId } from '#src/ids.ts';
import { type EmailStage, type EmailTenant, startEmailStage } from '#test/support/email-stage.ts';
import { insertAccount, submit } from '#test/support/email-rows.ts';
import { sampleReport } from '#test/support/returned-mail.ts';
import { until } from '#test/support/until.ts';

const BOB = 'bob@firm.example';

let stage: EmailStage;
let tenant: EmailTenant;
let account: AccountAddress;
let source: ReportSource;

describe('a report about a message', () => {
  beforeAll(async () => {
    stage = await startEmailStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());
  beforeEach(async () => {
    tenant = await stage.openTenant('Pro');
    const { workspaceId } = tenant;
    account = await insertAccount(stage.millrace.services, workspaceId);
    source = { workspaceId, emailAccountId: null, isTrusted: false };
  });

  const sent = async (to = BOB, status = 'sent'): Promise<EmailMessageId> => {
    const { services } = stage.millrace;
    const id = await submit(services, account, { to });
    await until(async () => (await message(id)).status === 'sent');
    await sql`update email_message set status = ${status} where id = ${id}`.execute(services.db);
    return id;
  };
  const messageIdOf = (id: string): string => `${id}@acme.example`;
  const apply = async (
    sample: string,
    about: { messageId: string; recipient?: string },
    from: ReportSource = source,
  ): Promise<string[]> => {
    const ends: string[] = [];
    for (const report of await readReport(sampleReport(sample, about))) {
      ends.push(await applyReturn(stage.millrace.services, from, report));
    }
    return ends;
  };
  const message = async (id: string) => (await tenant.call('GET', `/email-messages/${id}`)).body;
  const list = async () =>
    (await tenant.call('GET', '/do-not-contact')).body.do_not_contact.map(
      ({ value, reason, note }: Record<string, string>) => ({ value, reason, note }),
    );
  const events = async (): Promise<unknown[]> => {
    const { rows } = await sql<{ payload: string }>`
      select payload from webhook_event where workspace_id = ${tenant.workspaceId}
      order by created_at`.execute(stage.millrace.services.db);
    return rows.map(({ payload }) => {
      const { type, data } = JSON.parse(payload) as { type: string; data: unknown };
      return { type, data };
    });
  };

  it('of a dead address ends it as bounced, lists the recipient and notifies webhooks', async () => {
    const id = await sent();
    expect(await apply('postfix-unknown-user', { messageId: messageIdOf(id) })).toEqual([
      'applied',
    ]);
    expect(await message(id)).toMatchObject({
      status: 'bounced',
      error_class: 'no_such_address',
      error:
        'The message came back: there is no such address (5.1.1). It is on the do-not-contact list.',
      returned: { status_code: '5.1.1', do_not_contact: true },
    });
    expect(await list()).toEqual([
      { value: BOB, reason: 'bounced', note: 'A message came back with 5.1.1.' },
    ]);
    expect(await events()).toEqual([
      {
        type: 'email_message.bounced',
        data: {
          email_message_id: id,
          email_account_id: account.id,
          cause: 'no_such_address',
          status_code: '5.1.1',
          do_not_contact: true,
        },
      },
    ]);
    const again = await tenant.call('POST', `/email-accounts/${account.id}/send`, {
      to: BOB,
      subject: 'Again',
      text: 'Again.',
    });
    expect(again).toMatchObject({ status: 409 });
  });

  it('of a complaint ends it as complained and lists the recipient', async () => {
    const id = await sent();
    expect(await apply('arf-abuse-redacted', { messageId: messageIdOf(id) })).toEqual(['applied']);
    expect(await message(id)).toMatchObject({
      status: 'complained',
      error_class: 'complaint',
      returned: { status_code: null, do_not_contact: true },
    });
    expect(await list()).toEqual([{ value: BOB, reason: 'complained', note: '' }]);
    expect(await events()).toMatchObject([{ type: 'email_message.complained' }]);
    const found = await tenant.call('GET', '/do-not-contact?reason=complained');
    expect(found.body.do_not_contact).toHaveLength(1);
    const { body } = await tenant.call('GET', '/email-messages?status=complained');
    expect(body.messages).toMatchObject([{ id }]);
  });

  it.each(['postfix-mailbox-full', 'gmail-policy', 'postfix-expired', 'postfix-alias-member'])(
    'such as %s ends it as bounced and leaves the address alone',
    async (sample) => {
      const id = await sent();
      expect(await apply(sample, { messageId: messageIdOf(id) })).toEqual(['applied']);
      expect(await message(id)).toMatchObject({
        status: 'bounced',
        returned: { do_not_contact: false },
      });
      expect(await list()).toEqual([]);
    },
  );

  it.each(['postfix-delayed', 'arf-not-spam', 'automatic-reply', 'reply-with-our-message'])(
    'such as %s changes nothing',
    async (sample) => {
      const id = await sent();
      expect(await apply(sample, { messageId: messageIdOf(id) })).toEqual([]);
      expect(await message(id)).toMatchObject({ status: 'sent', returned: null });
    },
  );

  it('changes nothing when it names another recipient, another message or another sender', async () => {
    const id = await sent();
    expect(await apply('postfix-forwarded', { messageId: messageIdOf(id) })).toEqual(['ignored']);
    const stranger = '5f1c3b1e-0000-4000-8000-000000000000@acme.example';
    expect(await apply('postfix-unknown-user', { messageId: stranger })).toEqual(['ignored']);
    expect(await apply('postfix-unknown-user', { messageId: 'made-up@acme.example' })).toEqual([
      'ignored',
    ]);
    const elsewhere = `${id}@other.example`;
    expect(await apply('postfix-unknown-user', { messageId: elsewhere })).toEqual(['ignored']);
    const victim = { messageId: messageIdOf(id), recipient: 'victim@firm.example' };
    expect(await apply('exim-unknown-user', victim)).toEqual(['ignored']);
    expect(await message(id)).toMatchObject({ status: 'sent' });
    expect(await list()).toEqual([]);
  });

  it('changes nothing in another workspace, nor through the mailbox of another account', async () => {
    const id = await sent();
    const other = await stage.openTenant('Pro');
    const about = { messageId: messageIdOf(id) };
    const theirs = { ...source, workspaceId: other.workspaceId };
    expect(await apply('postfix-unknown-user', about, theirs)).toEqual(['ignored']);
    const second = await insertAccount(stage.millrace.services, tenant.workspaceId);
    const ofSecond = { ...source, emailAccountId: second.id };
    expect(await apply('postfix-unknown-user', about, ofSecond)).toEqual(['ignored']);
    expect(await message(id)).toMatchObject({ status: 'sent' });
    const ofFirst = { ...source, emailAccountId: account.id };
    expect(await apply('postfix-unknown-user', about, ofFirst)).toEqual(['applied']);
  });

  it('changes nothing when it names only a recipient, unless it comes from a provider with a secret', async () => {
    const id = await sent();
    const [report] = await readReport(sampleReport('exim-unknown-user'));
    if (report?.kind !== 'bounced') throw new Error('The sample is a bounce.');
    const nameless = { ...report, messageIds: [] };
    const { services } = stage.millrace;
    expect(await applyReturn(services, source, nameless)).toBe('ignored');
    const trusted = { ...source, isTrusted: true };
    const second = await sent();
    expect(await applyReturn(services, trusted, nameless)).toBe('ignored');
    await sql`update email_message set finished_at = now() - interval '8 days'
      where id = ${second}`.execute(services.db);
    expect(await applyReturn(services, trusted, nameless)).toBe('applied');
    expect(await message(id)).toMatchObject({ status: 'bounced' });
  });

  it('counts once, even when it arrives repeatedly and concurrently', async () => {
    const id = await sent();
    const about = { messageId: messageIdOf(id) };
    const ends = await Promise.all(
      Array.from({ length: 5 }, () => apply('postfix-unknown-user', about)),
    );
    expect(ends.flat().filter((end) => end === 'applied')).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });

  it('keeps the first reason on the list', async () => {
    const id = await sent();
    const { services } = stage.millrace;
    await tenant.call('POST', '/do-not-contact', { emails: [BOB], note: 'By phone' });
    expect(await apply('arf-abuse', { messageId: messageIdOf(id) })).toEqual(['applied']);
    expect(await list()).toEqual([{ value: BOB, reason: 'manual', note: 'By phone' }]);
    const { rows } = await sql`select 1 from email_return where email_message_id = ${id}`.execute(
      services.db,
    );
    expect(rows).toHaveLength(1);
  });

  it('of a complaint after a bounce still lists the recipient', async () => {
    const id = await sent();
    const about = { messageId: messageIdOf(id) };
    await apply('postfix-mailbox-full', about);
    expect(await apply('arf-abuse', about)).toEqual(['ignored']);
    expect(await message(id)).toMatchObject({ status: 'bounced' });
    expect(await list()).toMatchObject([{ value: BOB, reason: 'complained' }]);
  });

  it('ends a message of unknown outcome, but not one that was never sent', async () => {
    const unknown = await sent(BOB, 'unknown');
    expect(await apply('postfix-unknown-user', { messageId: messageIdOf(unknown) })).toEqual([
      'applied',
    ]);
    const failed = await sent('carol@firm.example', 'failed');
    const about = { messageId: messageIdOf(failed), recipient: 'carol@firm.example' };
    expect(await apply('postfix-unknown-user', about)).toEqual(['ignored']);
    expect(await message(failed)).toMatchObject({ status: 'failed' });
  });

  it('that arrives before the message is recorded as sent must wait', async () => {
    const id = await sent();
    await sql`update email_message set status = 'sending', finished_at = null,
      claimed_until = now() + interval '1 minute' where id = ${id}`.execute(
      stage.millrace.services.db,
    );
    const about = { messageId: messageIdOf(id) };
    expect(await apply('postfix-unknown-user', about)).toEqual(['early']);
    expect(await list()).toEqual([]);
  });

  it('changes nothing after the recipient was erased', async () => {
    const id = await sent();
    await tenant.call('POST', '/privacy/erase', { emails: [BOB], do_not_contact: false });
    expect(await apply('arf-abuse', { messageId: messageIdOf(id) })).toEqual(['ignored']);
    expect(await message(id)).toMatchObject({ status: 'sent', to: '' });
    expect(await list()).toEqual([]);
  });

  it('keeps no address of the recipient that an erasure would miss', async () => {
    const id = await sent('unheard-of@firm.example');
    const about = { messageId: messageIdOf(id), recipient: 'unheard-of@firm.example' };
    expect(await apply('postfix-mailbox-full', about)).toEqual(['applied']);
    await tenant.call('POST', '/privacy/erase', {
      emails: ['unheard-of@firm.example'],
      do_not_contact: false,
    });
    const { rows } = await sql<{ all: string }>`
      select coalesce(string_agg(r::text || m::text, ''), '') as all
      from email_message m join email_return r on r.email_message_id = m.id`.execute(
      stage.millrace.services.db,
    );
    expect(rows[0]?.all).not.toContain('unheard-of');
  });

  it('of a verification says that the test message came back, and leaves the account verified', async () => {
    const { body } = await tenant.call('POST', `/email-accounts/${account.id}/verify`, {
      test_recipient: BOB,
    });
    expect(body).toMatchObject({ verified: true });
    const about = { messageId: messageIdOf(body.verification_id) };
    expect(await apply('postfix-unknown-user', about)).toEqual(['applied']);
    const { body: after } = await tenant.call('GET', body.status_url);
    expect(after).toMatchObject({ verified: true, status: 'bounced' });
    expect(after.message).toContain('The server accepted the test message. The message came back:');
    expect(await tenant.account(account.id)).toMatchObject({ verified: true });
  });
});
