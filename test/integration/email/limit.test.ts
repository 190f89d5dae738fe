// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountAddress, findAccount } from '#src/email/accounts.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { dailySent, deliver, insertAccount, submit } from '#test/support/email-rows.ts';
import { messageRows, silentDns } from '#test/support/email-stage.ts';
import { createFakeMailer, loseIt, refuseIt } from '#test/support/fake-mailer.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let opened: TestServices;
let services: Services;
const mailer = createFakeMailer();
beforeAll(async () => {
  opened = await openTestServices({ DATABASE_POOL_SIZE: '20' });
  services = { ...opened.services, mailer, dns: silentDns };
});
afterAll(() => opened[Symbol.asyncDispose]());

const newAccount = (dailyLimit: number, timeZone = 'UTC'): Promise<AccountAddress> =>
  insertAccount(services, opened.workspaceId, { daily_limit: dailyLimit, time_zone: timeZone });

/** Moves all messages so far that many days into the past, or into the future when negative. */
async function daysAgo({ id }: AccountAddress, days: number): Promise<void> {
  await sql`update email_account set sent_on = sent_on - ${days}::int where id = ${id}`.execute(
    services.db,
  );
  await sql`update email_message set counted_on = counted_on - ${days}::int
    where email_account_id = ${id}`.execute(services.db);
}

const refusal = (submitted: Promise<unknown>): Promise<Problem> =>
  submitted.then(
    () => {
      throw new Error('The submission was not refused.');
    },
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );

it('a thousand sends, fifty at a time, use exactly the daily limit of a hundred', async () => {
  const account = await newAccount(100);
  const refused: { code: string }[] = [];
  // More senders than connections, but few enough that none times out waiting for one.
  const sender = async () => {
    for (let time = 0; time < 20; time += 1) {
      await submit(services, account).catch((error) => void refused.push(error));
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
  expect(refused).toHaveLength(900);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['RATE_LIMIT_EXCEEDED']));
  expect(await dailySent(services, account)).toBe(100);
  const rows = await messageRows({ services }, account.id);
  expect(rows).toHaveLength(100);
  expect(new Set(rows.map(({ counted_on }) => counted_on)).size).toBe(1);
});

it('a refusal on a full day names the limit, the time zone and the end of the day', async () => {
  const account = await newAccount(1, 'Asia/Tokyo');
  await submit(services, account);
  const problem = await refusal(submit(services, account));
  const { resets_at: resetsAt, sent_today: sentToday } = await findAccount(services.db, account);
  expect(problem.message).toContain('its limit of 1 messages');
  expect(problem.message).toContain(`midnight in Asia/Tokyo, ${resetsAt.toISOString()}`);
  expect(sentToday).toBe(1);
  expect(resetsAt.toISOString()).toMatch(/T15:00:00\.000Z$/);
  const secondsLeft = (resetsAt.getTime() - Date.now()) / 1_000;
  expect(Math.abs((problem.retryAfterSeconds ?? 0) - secondsLeft)).toBeLessThan(60);
});

it('the next day starts at zero', async () => {
  const account = await newAccount(2);
  await submit(services, account);
  await submit(services, account);
  await daysAgo(account, 1);
  expect((await findAccount(services.db, account)).sent_today).toBe(0);
  await submit(services, account);
  expect(await dailySent(services, account)).toBe(1);
});

it('moving to a time zone where it is still yesterday gives no second day', async () => {
  const account = await newAccount(1);
  await submit(services, account);
  await daysAgo(account, -1);
  const problem = await refusal(submit(services, account));
  expect(problem.code).toBe('RATE_LIMIT_EXCEEDED');
  expect(problem.retryAfterSeconds).toBeGreaterThan(24 * 3_600);
  expect((await findAccount(services.db, account)).sent_today).toBe(1);
});

it('the plan bounds the limit of the account', async () => {
  const account = await newAccount(1_500);
  const setPlan = (plan: string) =>
    sql`update workspace set plan_tier = ${plan} where id = ${opened.workspaceId}`.execute(
      services.db,
    );
  await setPlan('Personal');
  await submit(services, account);
  await sql`update email_account set daily_sent = 200 where id = ${account.id}`.execute(
    services.db,
  );
  expect((await refusal(submit(services, account))).message).toContain('its limit of 200 messages');
  await setPlan('Free');
  await daysAgo(account, 1);
  expect((await refusal(submit(services, account))).message).toContain('its limit of 0 messages');
  await setPlan('Enterprise');
  await submit(services, account);
});

it('unsent messages are refunded once, and only to their own day', async () => {
  const account = await newAccount(5);
  const [first, second] = [await submit(services, account), await submit(services, account)];
  mailer.next.push(refuseIt());
  expect(await deliver(services, first)).toBe('failed');
  expect(await deliver(services, first)).toBe('nothing to do');
  expect(await dailySent(services, account)).toBe(1);
  await daysAgo(account, 1);
  await submit(services, account);
  mailer.next.push(refuseIt());
  expect(await deliver(services, second)).toBe('failed');
  expect(await dailySent(services, account)).toBe(1);
});

it('messages that may have been sent stay counted', async () => {
  const account = await newAccount(5);
  const id = await submit(services, account);
  mailer.next.push(loseIt);
  expect(await deliver(services, id)).toBe('unknown');
  expect(await dailySent(services, account)).toBe(1);
});

it('forty concurrent failures refund forty', async () => {
  const account = await newAccount(40);
  const ids = await Promise.all(Array.from({ length: 40 }, () => submit(services, account)));
  expect(await dailySent(services, account)).toBe(40);
  mailer.next.push(...ids.map(() => refuseIt()));
  const ends = await Promise.all(ids.map((id) => deliver(services, id)));
  expect(new Set(ends)).toEqual(new Set(['failed']));
  expect(await dailySent(services, account)).toBe(0);
});

it('interleaved sends and failures leave the count of sent messages', async () => {
  const account = await newAccount(1_000);
  mailer.next.length = 0;
  const ends = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const id = await submit(services, account);
      if (n % 3 !== 0) return deliver(services, id);
      const refusing = { ...services, mailer: { ...mailer, send: refuseIt() } };
      return deliver(refusing, id);
    }),
  );
  expect(ends.filter((end) => end === 'sent')).toHaveLength(40);
  expect(await dailySent(services, account)).toBe(40);
});
