// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import { changeAccount } from '#src/email/administration/change-account.ts';
import { deliverMessage } from '#src/email/deliver-message.ts';
import type { EmailMessageId } from '#src/ids.ts';
import { sweepMessages } from '#src/email/sweep-messages.ts';
import type { Services } from '#src/services.ts';
import { dailySent, deliver, insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { type FakeMailer, loseIt, refuseIt } from '#test/support/fake-mailer.ts';
import {
  askVerification,
  countedSends,
  heldMessage,
  paceServices,
  passTime,
  shownPace,
} from '#test/support/pace-stage.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

/** 50 per hour: turns are 80 s apart, much longer than a test. */
const ZOHO = { smtp_host: 'smtp.zoho.com', smtp_user: 'ada@acme.example' };
const GMAIL = { smtp_host: 'smtp.gmail.com', smtp_user: 'ada@gmail.com' };
const OTHER = { smtp_host: 'smtp.acme.example', smtp_user: 'ada@acme.example' };

let opened: TestServices;
let services: Services;
let mailer: FakeMailer;
/** How long workers waited for turns. */
let waits: number[];

beforeAll(async () => {
  opened = await openTestServices({ DATABASE_POOL_SIZE: '20' });
});
afterAll(() => opened[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ services, mailer, waits } = await paceServices(opened.services));
});

const account = (fields: object, workspaceId = opened.workspaceId): Promise<AccountAddress> =>
  insertAccount(services, workspaceId, fields);

const row = (id: EmailMessageId) => heldMessage(services, id);
const pass = (seconds: number) => passTime(services, seconds);
const counted = () => countedSends(services);
const pace = (address: AccountAddress) => shownPace(services, address);
const verification = (address: AccountAddress, to?: string) =>
  askVerification(services, address, to);

/** Uses up the sender's day. */
async function fillDay(address: AccountAddress, sent: number, hoursAgo: number): Promise<void> {
  await deliver(services, await submit(services, address));
  await sql`insert into smtp_pace_hour (pace_key, hour, sent)
    select pace_key, date_trunc('hour', now()) - make_interval(hours => ${hoursAgo}), ${sent}
    from smtp_pace`.execute(services.db);
}

describe('a limit per minute or hour', () => {
  it('is kept by turns stored with the messages; no attempt counts and nothing fails', async () => {
    const address = await account(ZOHO);
    const ids = await Promise.all(Array.from({ length: 6 }, () => submit(services, address)));
    const ends: string[] = [];
    for (const id of ids) ends.push(await deliver(services, id));
    expect(ends).toEqual(['sent', ...Array.from({ length: 5 }, () => 'postponed')]);
    const held = await Promise.all(ids.slice(1).map(row));
    const next = held.map(({ next_ms: ms }) => ms ?? 0);
    for (const [index, one] of held.entries()) {
      expect(one).toMatchObject({ status: 'queued', attempts: 0, error_class: null });
      expect(one.error).toContain('Zoho Mail accepts 50 messages an hour from one account');
      if (index > 0) expect((next[index] ?? 0) - (next[index - 1] ?? 0)).toBeGreaterThan(79_000);
    }
    expect(await dailySent(services, address)).toBe(6);
    for (const id of ids.slice(1)) {
      await pass(81);
      expect(await deliver(services, id)).toBe('sent');
      expect(await row(id)).toMatchObject({ attempts: 1, error: null });
    }
    expect(mailer.sent).toHaveLength(6);
  });

  it('is kept by waiting in the worker when the turn is near', async () => {
    const address = await account(ZOHO);
    await deliver(services, await submit(services, address));
    await sql`update smtp_pace set next_send_at = now() + interval '4900 milliseconds'`.execute(
      services.db,
    );
    expect(await deliver(services, await submit(services, address))).toBe('sent');
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeLessThanOrEqual(5_000);
  });

  it('applies to all accounts of an SMTP user, in all workspaces, with several workers at once', async () => {
    const other = { name: 'Another', planTier: 'Enterprise' } as const;
    const { workspaceId } = await createWorkspace(services.db, other);
    const accounts = [
      await account(ZOHO),
      await account({ ...ZOHO, smtp_host: 'smtppro.zoho.com', smtp_user: 'Ada@ACME.example' }),
      await account(ZOHO, workspaceId),
    ];
    const ids = await Promise.all(
      Array.from({ length: 18 }, (_, n) => submit(services, accounts[n % 3] as AccountAddress)),
    );
    const ends = await Promise.all(ids.map((id) => deliver(services, id)));
    expect(ends.filter((end) => end === 'sent')).toHaveLength(1);
    const turns = (await Promise.all(ids.map(row))).flatMap(({ next_ms: ms }) => ms ?? []);
    expect(turns).toHaveLength(17);
    const sorted = turns.toSorted((a, b) => a - b);
    expect(sorted.every((ms, n) => n === 0 || ms - (sorted[n - 1] ?? 0) > 79_000)).toBe(true);
  });

  it('does not apply to another user, nor where no limit is known', async () => {
    await deliver(services, await submit(services, await account(ZOHO)));
    const bob = await account({ ...ZOHO, smtp_user: 'bob@acme.example' });
    expect(await deliver(services, await submit(services, bob))).toBe('sent');
    const other = await account(OTHER);
    for (let n = 0; n < 3; n += 1) {
      expect(await deliver(services, await submit(services, other))).toBe('sent');
    }
    expect(waits).toEqual([]);
  });

  it('does not delay a verification, which counts: the next message waits for it', async () => {
    const address = await account(ZOHO);
    expect(await deliver(services, await verification(address))).toBe('sent');
    const id = await submit(services, address);
    expect(await deliver(services, id)).toBe('postponed');
    expect(await deliver(services, await verification(address, 'you@inbox.test'))).toBe('sent');
    expect([mailer.sent.length, waits]).toEqual([2, []]);
    expect((await pace(address)).next_send_at).not.toBeNull();
  });
});

describe('a daily limit', () => {
  it('holds messages until the oldest hour no longer counts, although the account may send more', async () => {
    const address = await account({ ...GMAIL, daily_limit: 1_000 });
    await fillDay(address, 449, 20);
    const id = await submit(services, address);
    expect(await deliver(services, id)).toBe('postponed');
    const held = await row(id);
    expect(held).toMatchObject({ status: 'queued', attempts: 0, error_class: null });
    expect(held.error).toContain('Gmail accepts 500 messages a day from one account.');
    // Between 4 and 5 hours, depending on the minute.
    expect(held.next_ms).toBeGreaterThan(3.9 * 3_600_000);
    expect(held.next_ms).toBeLessThan(5.1 * 3_600_000);
    expect(await pace(address)).toMatchObject({
      provider: 'Gmail',
      per_day: 500,
      sent_24h: 450,
      paused: false,
    });
    await pass(5.1 * 3_600);
    expect(await deliver(services, id)).toBe('sent');
  });

  it('counts messages that were or may have been sent, not refused ones', async () => {
    const address = await account(GMAIL);
    mailer.next.push(refuseIt('recipient_rejected'), refuseIt('greylisted'), loseIt);
    const ends: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      ends.push(await deliver(services, await submit(services, address)));
    }
    expect(ends).toEqual(['failed', 'postponed', 'unknown', 'sent']);
    expect(await counted()).toBe(2);
  });

  it('does not replace the limit set by the user: requests beyond it are refused', async () => {
    const address = await account({ ...GMAIL, daily_limit: 1 });
    await submit(services, address);
    await expect(submit(services, address)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });
});

describe('a worker that dies or is stopped', () => {
  it('after taking a turn has used it up, and the next worker takes another', async () => {
    const address = await account(GMAIL);
    const id = await submit(services, address);
    const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    mailer.next.push(async () => {
      reached.resolve();
      await release.promise;
      throw new Error('The worker is dead.');
    });
    const dead = deliver(services, id).catch(() => 'dead');
    await reached.promise;
    await sql`update email_message set claimed_until = now() - interval '1 second'`.execute(
      services.db,
    );
    expect(await deliver(services, id)).toBe('sent');
    expect(await counted()).toBe(2);
    release.resolve();
    expect(await dead).toBe('dead');
    expect((await row(id)).status).toBe('sent');
  });

  it('while waiting for a turn requeues the message, which counts neither as an attempt nor towards the day', async () => {
    const address = await account(GMAIL);
    await deliver(services, await submit(services, address));
    const id = await submit(services, address);
    await sql`update smtp_pace set next_send_at = now() + interval '4900 milliseconds'`.execute(
      services.db,
    );
    const stop = new AbortController();
    const wait: Services['wait'] = () => {
      stop.abort(new Error('stopping'));
      return Promise.reject(stop.signal.reason as Error); // the error given to abort()
    };
    const stopping = deliverMessage({ ...services, wait }, id, stop.signal);
    await expect(stopping).rejects.toThrow('stopping');
    expect(await row(id)).toMatchObject({ status: 'queued', attempts: 0 });
    expect([await counted(), mailer.attempts]).toEqual([1, 1]);
  });
});

describe('changed settings', () => {
  it('end messages that wait for a turn; other accounts of the user continue', async () => {
    const [ours, second] = [await account(ZOHO), await account(ZOHO)];
    const held: EmailMessageId[] = [];
    for (let n = 0; n < 4; n += 1) {
      const id = await submit(services, ours);
      if ((await deliver(services, id)) === 'postponed') held.push(id);
    }
    expect(held).toHaveLength(3);
    await changeAccount(services, ours, { smtp_password: 'another' }, NEVER);
    for (const id of held) {
      expect(await row(id)).toMatchObject({ status: 'failed', next_ms: null });
      expect(await deliver(services, id)).toBe('nothing to do');
    }
    await pass(3_600);
    expect(await deliver(services, await submit(services, second))).toBe('sent');
  });

  it('an unverified account reveals nothing about what others send as its user', async () => {
    const address = await account(GMAIL);
    await deliver(services, await submit(services, address));
    expect(await pace(address)).toMatchObject({ sent_24h: 1 });
    await sql`update email_account set verified = false where id = ${address.id}`.execute(
      services.db,
    );
    expect(await pace(address)).toEqual({
      provider: 'Gmail',
      per_minute: null,
      per_hour: null,
      per_day: 500,
      sent_24h: null,
      next_send_at: null,
      paused: false,
    });
  });
});

it('a clock that was ahead delays messages by at most a day', async () => {
  const address = await account(ZOHO);
  await deliver(services, await submit(services, address));
  await sql`update smtp_pace set next_send_at = now() + interval '1 year',
    line_end_at = now() + interval '1 year'`.execute(services.db);
  await sql`update smtp_pace_hour set hour = hour + interval '1 year', sent = 100000`.execute(
    services.db,
  );
  const id = await submit(services, address);
  expect(await deliver(services, id)).toBe('postponed');
  expect((await row(id)).next_ms).toBeLessThan(26 * 3_600_000);
});

it('paces are deleted when nothing depends on them any longer', async () => {
  await deliver(services, await submit(services, await account(GMAIL)));
  await sweepMessages(services, NEVER);
  expect(await counted()).toBe(1);
  await pass(3 * 24 * 3_600);
  await sweepMessages(services, NEVER);
  const { rows } =
    await sql`select 1 from smtp_pace union all select 1 from smtp_pace_hour`.execute(services.db);
  expect(rows).toEqual([]);
});
