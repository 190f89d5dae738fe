import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDoNotContact } from '#src/outreach/do-not-contact.ts';
import { emittedEvents } from '#test/support/emitted-events.ts';
import {
  type EmailStage,
  type EmailTenant,
  messageRows,
  PASSWORD,
  startEmailStage,
} from '#test/support/email-stage.ts';
import { loseIt, refuseIt, takeIt } from '#test/support/fake-mailer.ts';
import { until } from '#test/support/until.ts';

const RECIPIENT = { test_recipient: 'me@inbox.test' };

let stage: EmailStage;
let tenant: EmailTenant;
beforeAll(async () => {
  stage = await startEmailStage();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  tenant = await stage.openTenant();
  stage.mailer.sent.length = 0;
  stage.mailer.attempts = 0;
  stage.mailer.next.length = 0;
});

const verify = (id: string, body: unknown = RECIPIENT, headers = {}) =>
  tenant.call('POST', `/email-accounts/${id}/verify`, body, headers);

/** Holds the next attempt until it is released. */
function hold(when: 'before' | 'after') {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  stage.mailer.next.push(async (...args) => {
    const stop = async (): Promise<void> => {
      reached.resolve();
      await release.promise;
    };
    if (when === 'before') await stop();
    const outcome = await takeIt(...args);
    if (when === 'after') await stop();
    return outcome;
  });
  return { reached: reached.promise, release: () => release.resolve() };
}

describe('a verification', () => {
  it('sends a test message and makes the account ready', async () => {
    const { id, verification_token: token } = await tenant.createAccount({ from_name: 'Jane' });
    const { status, body } = await verify(id);
    expect([status, body.verified, body.error_class]).toEqual([200, true, null]);
    expect(body.message).toContain('ready to send');
    expect(body.warnings.join(' ')).toContain('SPF');
    expect(stage.mailer.sent).toHaveLength(1);
    const [sent] = stage.mailer.sent;
    expect(sent?.settings).toMatchObject({ port: 587, user: 'sender@acme.example' });
    expect(sent?.settings.password).toBe(PASSWORD);
    expect(sent?.message).toMatchObject({
      from: { name: 'Jane', address: 'sender@acme.example' },
      to: RECIPIENT.test_recipient,
      messageId: `<${body.verification_id}@acme.example>`,
    });
    expect(sent?.message.text).toContain(token);
    const account = await tenant.account(id);
    expect(account).toMatchObject({ verified: true, daily_sent: 1 });
    expect(account.deliverability).toMatchObject({
      domain: 'acme.example',
      spf: { state: 'fail' },
    });
    expect(account.deliverability.checked_at).toMatch(/^\d{4}-/);
    expect((await tenant.call('GET', body.status_url)).body).toEqual(body);
    const events = await emittedEvents(stage.millrace.services.db, tenant.workspaceId);
    expect(events.map(({ type, data }) => [type, data.email_account_id])).toEqual([
      ['email_account.verified', id],
    ]);
  });

  it('is shared by fifty concurrent requests', async () => {
    const { id } = await tenant.createAccount();
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(id)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body.verified).toBe(true);
    expect(stage.mailer.attempts).toBe(1);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
    expect((await verify(id)).body).toEqual(answers[0]?.body);
    expect(stage.mailer.attempts).toBe(1);
  });

  it('that fails is a 200 with the reason, and is not counted', async () => {
    const { id } = await tenant.createAccount();
    stage.mailer.next.push(refuseIt('auth_failed'));
    const { status, body } = await verify(id);
    expect([status, body.verified, body.error_class]).toEqual([200, false, 'auth_failed']);
    expect(body.message).toBe('The server says auth_failed.');
    expect(await tenant.account(id)).toMatchObject({ verified: false, daily_sent: 0 });
    expect((await verify(id)).body.verified).toBe(true);
  });

  it('with an unknown outcome verifies nothing and is not repeated', async () => {
    const { id } = await tenant.createAccount();
    stage.mailer.next.push(loseIt);
    const { status, body } = await verify(id);
    expect([status, body.verified, body.status]).toEqual([200, false, 'unknown']);
    expect(await tenant.account(id)).toMatchObject({ verified: false, daily_sent: 1 });
    expect(stage.mailer.attempts).toBe(1);
  });

  it('that the server defers is retried while the request waits', async () => {
    const { id } = await tenant.createAccount();
    stage.mailer.next.push(refuseIt('greylisted'));
    const { status, body } = await verify(id);
    expect([status, body.verified, body.error_class]).toEqual([200, true, null]);
    expect(stage.mailer.attempts).toBe(2);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 1 });
  });

  it('does not wait when asked not to, and says where to look', async () => {
    const { id } = await tenant.createAccount();
    const held = hold('before');
    const asked = await verify(id, RECIPIENT, { Prefer: 'wait=5, respond-async' });
    expect([asked.status, asked.body.verified]).toEqual([202, false]);
    expect(asked.headers.get('location')).toBe(asked.body.status_url);
    expect(asked.headers.get('preference-applied')).toBe('respond-async');
    expect(asked.body.status_url).toBe(
      `/email-accounts/${id}/verifications/${asked.body.verification_id}`,
    );
    held.release();
    await until(
      async () => (await tenant.call('GET', asked.body.status_url)).body.verified === true,
    );
  });

  it('is refused for another recipient while one is in progress', async () => {
    const { id } = await tenant.createAccount();
    const held = hold('after');
    const first = verify(id);
    await held.reached;
    const second = await verify(id, { test_recipient: 'other@inbox.test' });
    expect([second.status, second.body.error_code]).toEqual([409, 'CONFLICT']);
    held.release();
    expect((await first).body.verified).toBe(true);
    const third = await verify(id, { test_recipient: 'other@inbox.test' });
    expect([third.status, stage.mailer.attempts]).toEqual([200, 2]);
  });

  it('may be started five times a minute', async () => {
    const { id } = await tenant.createAccount();
    stage.mailer.next.push(...Array.from({ length: 5 }, () => refuseIt('auth_failed')));
    for (let n = 0; n < 5; n += 1) expect((await verify(id)).status).toBe(200);
    const sixth = await verify(id);
    expect([sixth.status, sixth.body.error_code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(sixth.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await sql`update email_message set created_at = created_at - interval '1 minute'
      where email_account_id = ${id}`.execute(stage.millrace.services.db);
    expect((await verify(id)).body.verified).toBe(true);
  });

  it('counts toward the daily limit, which may be full', async () => {
    const id = await tenant.verifiedAccount({ daily_limit: 1 });
    expect((await verify(id)).status).toBe(200);
    const full = await verify(id, { test_recipient: 'other@inbox.test' });
    expect([full.status, full.body.error_code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(stage.mailer.attempts).toBe(1);
  });

  it('is not sent to recipients on the do-not-contact list', async () => {
    const { id } = await tenant.createAccount();
    const entries = [{ kind: 'email' as const, value: 'me@inbox.test' }];
    const { db } = stage.millrace.services;
    await addDoNotContact(db, tenant.workspaceId, entries, { reason: 'manual' });
    const refused = await verify(id, { test_recipient: 'Me@Inbox.test' });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(await messageRows(stage.millrace, id)).toEqual([]);
    expect(await tenant.account(id)).toMatchObject({ daily_sent: 0 });
  });

  it.each<[string, unknown]>([
    ['no recipient', {}],
    ['two recipients', { test_recipient: 'a@inbox.test, b@inbox.test' }],
    ['a name beside it', { test_recipient: 'Me <me@inbox.test>' }],
    ['a command in it', { test_recipient: 'me@inbox.test>\r\nDATA' }],
    ['an unknown key', { ...RECIPIENT, smtp_password: 'x' }],
  ])('with %s is refused', async (_, body) => {
    const { id } = await tenant.createAccount();
    const refused = await verify(id, body);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(await messageRows(stage.millrace, id)).toEqual([]);
  });
});

describe('settings that change during a verification', () => {
  const change = (id: string) =>
    tenant.call('PATCH', `/email-accounts/${id}`, { smtp_password: 'another' });

  it('before the content end it: nothing is sent, and the next one can begin at once', async () => {
    const { id } = await tenant.createAccount();
    const held = hold('before');
    const asked = verify(id);
    await held.reached;
    expect((await change(id)).status).toBe(200);
    const { body } = await asked;
    expect([body.verified, body.status]).toEqual([false, 'failed']);
    expect(body.message).toContain('settings of the account were changed');
    const next = await verify(id);
    expect([next.body.verified, stage.mailer.sent.length]).toEqual([true, 1]);
    held.release();
    expect(stage.mailer.sent[0]?.settings.password).toBe('another');
    const account = await tenant.account(id);
    expect(account).toMatchObject({ verified: true, daily_sent: 1 });
    expect(account.deliverability).toMatchObject({
      domain: 'acme.example',
      spf: { state: 'fail' },
    });
    expect(account.deliverability.checked_at).toMatch(/^\d{4}-/);
  });

  it('during the content are not verified by it', async () => {
    const { id } = await tenant.createAccount();
    const held = hold('after');
    const asked = verify(id);
    await held.reached;
    await change(id);
    expect((await verify(id)).status).toBe(409);
    held.release();
    const { body } = await asked;
    expect([body.verified, body.status]).toEqual([false, 'sent']);
    expect(body.message).toContain('Verify it again');
    expect((await tenant.account(id)).verified).toBe(false);
    expect((await verify(id)).body.verified).toBe(true);
  });
});

it('the password is in no job and in no row', async () => {
  const { id } = await tenant.createAccount();
  await verify(id);
  const { producer, db } = stage.millrace.services;
  const jobs = await Promise.all(producer.openQueues().map((queue) => queue.getJobs()));
  expect(JSON.stringify(jobs.flat().map(({ data }) => data))).not.toContain(PASSWORD);
  const { rows } = await sql`select m::text, a::text as account from email_message m
    join email_account a on a.id = m.email_account_id where a.id = ${id}`.execute(db);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(PASSWORD);
});

it('verifications of other workspaces do not exist', async () => {
  const { id } = await tenant.createAccount();
  const { id: second } = await tenant.createAccount();
  const { body } = await verify(id);
  const stranger = await stage.openTenant();
  const answers = [
    await stranger.call('POST', `/email-accounts/${id}/verify`, RECIPIENT),
    await stranger.call('GET', body.status_url),
    await tenant.call('GET', `/email-accounts/${second}/verifications/${body.verification_id}`),
    await tenant.call('GET', `/email-accounts/${id}/verifications/nonsense`),
  ];
  for (const { status, body: refused } of answers) {
    expect([status, refused.error_code]).toEqual([404, 'NOT_FOUND']);
  }
  expect(stage.mailer.attempts).toBe(1);
});
