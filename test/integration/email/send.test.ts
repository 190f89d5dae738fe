// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDoNotContact } from '#src/outreach/do-not-contact.ts';
import { readUnsubscribeToken } from '#src/outreach/unsubscribe-token.ts';
import {
  type EmailStage,
  type EmailTenant,
  messageRows,
  startEmailStage,
} from '#test/support/email-stage.ts';
import { loseIt, refuseIt } from '#test/support/fake-mailer.ts';
import { until } from '#test/support/until.ts';

const MESSAGE = { to: 'Lead@firm.test', subject: 'Hello', text: 'How are you?' };

let stage: EmailStage;
let tenant: EmailTenant;
let id: string;
beforeAll(async () => {
  stage = await startEmailStage({ PUBLIC_URL: 'https://millrace.example/' });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  tenant = await stage.openTenant();
  id = await tenant.verifiedAccount();
  stage.mailer.sent.length = 0;
  stage.mailer.attempts = 0;
  stage.mailer.next.length = 0;
});

const send = (body: unknown = MESSAGE, headers: Record<string, string> = {}) =>
  tenant.call('POST', `/email-accounts/${id}/send`, body, headers);

describe('a message', () => {
  it('is sent as given, with one-click unsubscribe', async () => {
    const html = '<p>How are you?</p>';
    const { status, body } = await send({ ...MESSAGE, html, reply_to: 'boss@acme.example' });
    expect([status, body.status, body.error]).toEqual([200, 'sent', null]);
    expect(body).toMatchObject({ kind: 'message', to: MESSAGE.to, email_account_id: id });
    const [sent] = stage.mailer.sent;
    expect(sent?.message).toMatchObject({
      from: { name: '', address: 'sender@acme.example' },
      to: MESSAGE.to,
      replyTo: 'boss@acme.example',
      subject: MESSAGE.subject,
      text: MESSAGE.text,
      html,
      messageId: `<${body.id}@acme.example>`,
    });
    expect(sent?.message.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    const link = sent?.message.headers['List-Unsubscribe'] ?? '';
    const [, token = ''] =
      /^<https:\/\/millrace\.example\/unsubscribe\/([\w.~-]+)>$/.exec(link) ?? [];
    expect(readUnsubscribeToken(stage.millrace.services.unsubscribeSecrets, token)).toEqual({
      workspaceId: tenant.workspaceId,
      email: 'lead@firm.test',
    });
    expect((await tenant.call('GET', body.status_url)).body).toEqual(body);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
  });

  it('has its text deleted afterwards and earns outreach points', async () => {
    const { body } = await send();
    const [row] = await messageRows(stage.millrace, id);
    expect(row).toMatchObject({ status: 'sent', text_body: null, attempts: 1 });
    // Points are awarded after the answer.
    const awards = async (): Promise<unknown[]> => {
      const { rows } = await sql`select source_id from points_award
        where user_id = ${tenant.userId} and action_type = 'outreach'`.execute(
        stage.millrace.services.db,
      );
      return rows;
    };
    await until(async () => (await awards()).length > 0);
    expect(await awards()).toEqual([{ source_id: `outreach ${body.id}` }]);
  });

  it('needs a verified account', async () => {
    const { id: fresh } = await tenant.createAccount();
    const refused = await tenant.call('POST', `/email-accounts/${fresh}/send`, MESSAGE);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.detail).toContain(`POST /email-accounts/${fresh}/verify`);
    expect(stage.mailer.attempts).toBe(0);
  });

  it('is not sent to recipients on the do-not-contact list', async () => {
    const entries = [{ kind: 'domain' as const, value: 'firm.test' }];
    const { db } = stage.millrace.services;
    await addDoNotContact(db, tenant.workspaceId, entries, { reason: 'unsubscribed' });
    const refused = await send({ ...MESSAGE, to: 'x@mail.firm.test' });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.detail).toContain('do-not-contact');
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 0 });
  });

  it('above the daily limit is refused with the start of the next day', async () => {
    await tenant.call('PATCH', `/email-accounts/${id}`, { daily_limit: 1 });
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.body.error_code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(24 * 3_600);
    expect(stage.mailer.attempts).toBe(1);
  });

  it('that the server refuses is a 502 with its id and the reason, and is not counted', async () => {
    stage.mailer.next.push(refuseIt('recipient_rejected'));
    const refused = await send();
    expect([refused.status, refused.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    const [row] = await messageRows(stage.millrace, id);
    expect(refused.body.detail).toContain(`The message ${row?.id} was not sent.`);
    expect(refused.body.detail).toContain('The server says recipient_rejected.');
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 0 });
  });

  it('with an unknown outcome says so and is not repeated', async () => {
    stage.mailer.next.push(loseIt);
    const answer = await send();
    expect([answer.status, answer.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(answer.body.detail).toContain('may have been sent');
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
    expect(stage.mailer.attempts).toBe(1);
  });

  it('that the server defers is retried automatically', async () => {
    stage.mailer.next.push(refuseIt('greylisted'));
    const asked = await send(MESSAGE, { Prefer: 'respond-async' });
    expect([asked.status, asked.headers.get('location')]).toEqual([202, asked.body.status_url]);
    const url: string = asked.body.status_url;
    await until(async () => (await tenant.call('GET', url)).body.next_attempt_at !== null);
    const { body } = await tenant.call('GET', url);
    expect(body).toMatchObject({ status: 'queued', attempts: 1, error_class: 'greylisted' });
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
  });
});

describe('an Idempotency-Key', () => {
  it('sends one message for twenty requests and answers each with it', async () => {
    const headers = { 'Idempotency-Key': 'the-one' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(MESSAGE, headers)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([answers[0]?.body.status, stage.mailer.attempts]).toEqual(['sent', 1]);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
  });

  it('repeats a failure without another attempt', async () => {
    stage.mailer.next.push(refuseIt());
    const headers = { 'Idempotency-Key': 'fails' };
    const [first, second] = [await send(MESSAGE, headers), await send(MESSAGE, headers)];
    expect([first.status, second.status]).toEqual([502, 502]);
    expect(second.body.detail).toBe(first.body.detail);
    expect(stage.mailer.attempts).toBe(1);
  });

  it.each([
    ['text', { text: 'Other' }],
    ['recipient', { to: 'other@firm.test' }],
    ['page', { html: '<p></p>' }],
  ])('with another %s is a conflict', async (_, fields) => {
    const headers = { 'Idempotency-Key': 'twice' };
    await send(MESSAGE, headers);
    const refused = await send({ ...MESSAGE, ...fields }, headers);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(stage.mailer.attempts).toBe(1);
  });

  it('is separate for each account', async () => {
    const headers = { 'Idempotency-Key': 'shared' };
    await send(MESSAGE, headers);
    const other = await tenant.verifiedAccount();
    await tenant.call('POST', `/email-accounts/${other}/send`, MESSAGE, headers);
    expect(stage.mailer.attempts).toBe(2);
  });

  it('that is empty or too long is refused', async () => {
    for (const key of ['a b', 'x'.repeat(256)]) {
      expect((await send(MESSAGE, { 'Idempotency-Key': key })).status).toBe(400);
    }
  });
});

it.each<[string, object, string]>([
  ['no recipient', { to: undefined }, 'body.to'],
  ['two recipients', { to: 'a@firm.test,b@firm.test' }, 'body.to'],
  ['a list of recipients', { to: ['a@firm.test'] }, 'body.to'],
  ['a command as recipient', { to: 'b@ex.com>\r\nRCPT TO:<c@ex.com' }, 'body.to'],
  ['a header in the subject', { subject: 'a\r\nBcc: c@ex.com' }, 'body.subject'],
  ['a blank subject', { subject: '  ' }, 'body.subject'],
  ['a subject of 501 characters', { subject: 'x'.repeat(501) }, 'body.subject'],
  ['no text', { text: '' }, 'body.text'],
  ['a text of 100,001 bytes', { text: 'x'.repeat(100_001) }, 'body.text'],
  ['a text with NUL', { text: 'a\0b' }, 'body.text'],
  ['a page of 500,001 bytes', { html: 'x'.repeat(500_001) }, 'body.html'],
  ['a reply address with a name', { reply_to: 'B <b@acme.example>' }, 'body.reply_to'],
  ['custom headers', { headers: { Bcc: 'x@ex.com' } }, '"headers"'],
])('a message with %s is refused', async (_, fields, words) => {
  const refused = await send({ ...MESSAGE, ...fields });
  expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
  expect(refused.body.detail).toContain(words);
  expect([stage.mailer.attempts, (await messageRows(stage.millrace, id)).length]).toEqual([0, 0]);
});

it('messages are listed newest first, in pages and with filters', async () => {
  for (const n of [1, 2, 3]) await send({ ...MESSAGE, to: `n${n}@firm.test` });
  const other = await tenant.verifiedAccount();
  await tenant.call('POST', `/email-accounts/${other}/verify`, { test_recipient: 'me@inbox.test' });
  const list = async (query: string) =>
    (await tenant.call('GET', `/email-messages${query}`)).body as {
      messages: { to: string }[];
      next_cursor: string | null;
    };
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list(`?limit=1${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.messages.map(({ to }) => to));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(['me@inbox.test', 'n3@firm.test', 'n2@firm.test', 'n1@firm.test']);
  const tos = async (query: string) => (await list(query)).messages.map(({ to }) => to);
  expect(await tos(`?email_account_id=${id}`)).toEqual(seen.slice(1));
  expect(await tos('?kind=verification')).toEqual(['me@inbox.test']);
  expect(await tos('?status=failed')).toEqual([]);
  for (const wrong of ['?status=gone', '?cursor=x', '?limit=201', '?email_account_id=x', '?a=b']) {
    expect((await tenant.call('GET', `/email-messages${wrong}`)).status).toBe(400);
  }
});

it('accounts and messages of another workspace do not exist', async () => {
  const { body } = await send();
  const stranger = await stage.openTenant();
  const answers = [
    await stranger.call('POST', `/email-accounts/${id}/send`, MESSAGE),
    await stranger.call('GET', `/email-messages/${body.id}`),
    await stranger.call('GET', '/email-messages/nonsense'),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.body.error_code]).toEqual([404, 'NOT_FOUND']);
  }
  const list = await stranger.call('GET', `/email-messages?email_account_id=${id}`);
  expect(list.body).toEqual({ messages: [], next_cursor: null });
  expect(stage.mailer.attempts).toBe(1);
});
