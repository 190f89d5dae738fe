import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmailStage, type EmailTenant, startEmailStage } from '#test/support/email-stage.ts';
import { BOB, OTHER_EVENTS, PROVIDER_EVENTS } from '#test/support/provider-events.ts';
import { sampleReport } from '#test/support/returned-mail.ts';

let stage: EmailStage;
let tenant: EmailTenant;

beforeAll(async () => {
  stage = await startEmailStage({ PUBLIC_URL: 'https://millrace.example.com' });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  tenant = await stage.openTenant('Pro');
});

const add = async (fields: object) => {
  const { status, body } = await tenant.call('POST', '/bounce-mailboxes', fields);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const message = async (id: string) => (await tenant.call('GET', `/email-messages/${id}`)).body;
const sendTo = async (to: string): Promise<string> => {
  const account = await tenant.verifiedAccount();
  const { body } = await tenant.call('POST', `/email-accounts/${account}/send`, {
    to,
    subject: 'Hello',
    text: 'Hello.',
  });
  expect(body).toMatchObject({ status: 'sent' });
  return body.id;
};

describe('a webhook for returned mail', () => {
  const post = async (url: string, body: unknown, type = 'application/json') => {
    const path = url.replace('https://millrace.example.com', stage.millrace.url);
    const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: bytes,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const webhook = async (): Promise<string> => {
    const { report_url: url } = await add({ kind: 'webhook' });
    expect(url).toMatch(/^https:\/\/millrace\.example\.com\/returned-mail\/[\w-]{43}$/);
    return url;
  };

  it('shows its URL once and stores only a hash', async () => {
    const url = await webhook();
    const token = url.split('/').at(-1) ?? '';
    const { body } = await tenant.call('GET', '/bounce-mailboxes');
    expect(JSON.stringify(body)).not.toContain(token);
    const { rows } = await sql<{
      row: string;
    }>`select b::text as row from bounce_mailbox b`.execute(stage.millrace.services.db);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it.each(PROVIDER_EVENTS)('accepts events of %s', async (_, events, status, isListed) => {
    const url = await webhook();
    const id = await sendTo(BOB);
    expect(await post(url, events(id))).toMatchObject({ status: 200, body: { returned: 1 } });
    expect(await message(id)).toMatchObject({ status, returned: { do_not_contact: isListed } });
    const again = await post(url, events(id));
    expect(again).toMatchObject({ status: 200, body: { returned: 0 } });
  });

  it.each(OTHER_EVENTS)('ignores %s', async (_, events) => {
    const url = await webhook();
    const id = await sendTo(BOB);
    expect(await post(url, events(id))).toEqual({ status: 200, body: { returned: 0, ignored: 0 } });
    expect(await message(id)).toMatchObject({ status: 'sent' });
  });

  it('accepts a report as received, which must name the id of the message', async () => {
    const url = await webhook();
    const id = await sendTo(BOB);
    const forged = sampleReport('postfix-unknown-user', { messageId: 'made-up@acme.example' });
    expect((await post(url, forged, 'message/rfc822')).body).toEqual({ returned: 0, ignored: 1 });
    const real = sampleReport('postfix-unknown-user', { messageId: `${id}@acme.example` });
    expect((await post(url, real, 'message/rfc822')).body).toEqual({ returned: 1, ignored: 0 });
    expect(await message(id)).toMatchObject({ status: 'bounced' });
  });

  it('ends no message when two to the recipient match', async () => {
    const url = await webhook();
    const ids = [await sendTo(BOB), await sendTo(BOB)];
    const event = { RecordType: 'SpamComplaint', Email: BOB };
    expect((await post(url, event)).body).toEqual({ returned: 0, ignored: 1 });
    for (const id of ids) expect(await message(id)).toMatchObject({ status: 'sent' });
  });

  it('asks to post again while the message is being sent', async () => {
    const url = await webhook();
    const id = await sendTo(BOB);
    const { db } = stage.millrace.services;
    await sql`update email_message set status = 'sending', finished_at = null,
      claimed_until = now() + interval '5 minutes' where id = ${id}`.execute(db);
    const report = { kind: 'bounced', message_id: `${id}@acme.example`, recipient: BOB };
    expect(await post(url, { reports: [report] })).toMatchObject({ status: 503 });
    await sql`update email_message set status = 'sent', finished_at = now() where id = ${id}`.execute(
      db,
    );
    expect(await post(url, { reports: [report] })).toMatchObject({ body: { returned: 1 } });
  });

  it('answers 404 for a wrong URL, and 400 with the known formats for any other', async () => {
    const url = await webhook();
    expect(await post(`${url}x`, { reports: [] })).toMatchObject({ status: 404 });
    const wrong = await post(url, { hello: 'world' });
    expect(wrong.status).toBe(400);
    expect(wrong.body['detail']).toContain('unknown format');
    expect(await post(url, { reports: [{ kind: 'lost' }] })).toMatchObject({ status: 400 });
    expect(await post(url, Buffer.from('{"reports"'))).toMatchObject({ status: 400 });
    const large = Buffer.alloc(2_100_000, 'x');
    expect(await post(url, large, 'message/rfc822')).toMatchObject({ status: 413 });
    const many = { reports: Array.from({ length: 1_001 }, () => ({ kind: 'bounced' })) };
    expect(await post(url, many)).toMatchObject({ status: 400 });
  });

  it('refuses a message of Amazon SNS with more values than a post may have', async () => {
    const url = await webhook();
    const values = { Type: 'Notification', Message: JSON.stringify(Array(60_000).fill(0)) };
    const answer = await post(url, values, 'text/plain; charset=UTF-8');
    expect(answer.status).toBe(413);
    expect(answer.body['detail']).toContain('more than 50000 values');
  });

  it.each([
    'http://127.0.0.1/',
    'https://sns.us-east-1.amazonaws.com.evil.example/',
    'not a URL',
    'https://sns.us-east-1.amazonaws.com:8443/',
  ])('confirms no subscription at %s', async (SubscribeURL) => {
    const url = await webhook();
    const body = { Type: 'SubscriptionConfirmation', SubscribeURL };
    const answer = await post(url, body, 'text/plain; charset=UTF-8');
    expect(answer.body['detail']).toContain('SubscribeURL: must be a URL of Amazon SNS');
  });

  it('confirms a subscription at Amazon SNS', async () => {
    const url = await webhook();
    const asked: string[] = [];
    const { services } = stage.millrace;
    const { http } = services;
    const send: typeof http.send = (request) => {
      asked.push(request.url);
      const empty = Buffer.alloc(0);
      return Promise.resolve({
        status: 200,
        url: request.url,
        headers: new Headers(),
        bytes: empty,
        isCut: false,
        text: () => '',
      });
    };
    Object.assign(services, { http: { ...http, send } });
    try {
      const SubscribeURL =
        'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=1';
      const body = { Type: 'SubscriptionConfirmation', SubscribeURL };
      expect(await post(url, body, 'text/plain; charset=UTF-8')).toMatchObject({ status: 200 });
      expect(asked).toEqual([SubscribeURL]);
    } finally {
      Object.assign(services, { http });
    }
  });
});
