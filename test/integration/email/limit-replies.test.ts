// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import { createServiceMail } from '#src/email/service-mail.ts';
import type { EmailMessageId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { dailySent, deliver, insertAccount, submit } from '#test/support/email-rows.ts';
import { type FakeMailer, refuseIt } from '#test/support/fake-mailer.ts';
import {
  askVerification,
  heldMessage,
  paceServices,
  passTime,
  shownPace,
} from '#test/support/pace-stage.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

/** A server without known limits. */
const OTHER = { smtp_host: 'smtp.acme.example', smtp_user: 'ada@acme.example' };

let opened: TestServices;
let services: Services;
let mailer: FakeMailer;

beforeAll(async () => {
  opened = await openTestServices({ DATABASE_POOL_SIZE: '20' });
});
afterAll(() => opened[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ services, mailer } = await paceServices(opened.services));
});

const account = (fields: object): Promise<AccountAddress> =>
  insertAccount(services, opened.workspaceId, fields);
const row = (id: EmailMessageId) => heldMessage(services, id);
const pass = (seconds: number) => passTime(services, seconds);
const pace = (address: AccountAddress) => shownPace(services, address);
const verification = (address: AccountAddress, to?: string) =>
  askVerification(services, address, to);

describe('a reply that mentions a limit', () => {
  it.each([
    ['minute', 60],
    ['hour', 20 * 60],
    ['day', 24 * 60 * 60],
  ] as const)(
    'of the %s, also a permanent one, postpones the message and pauses the sender',
    async (period, seconds) => {
      const address = await account(OTHER);
      const [first, second] = [await submit(services, address), await submit(services, address)];
      mailer.next.push(refuseIt('rate_limited_by_provider', period));
      expect(await deliver(services, first)).toBe('postponed');
      expect(await deliver(services, second)).toBe('postponed');
      expect(mailer.attempts).toBe(1);
      for (const id of [first, second]) {
        const held = await row(id);
        expect(held).toMatchObject({
          status: 'queued',
          attempts: 0,
          error_class: 'rate_limited_by_provider',
          is_limited: true,
        });
        expect(Math.abs((held.next_ms ?? 0) / 1_000 - seconds)).toBeLessThan(20);
      }
      expect((await row(first)).error).toBe('The server says rate_limited_by_provider.');
      expect((await row(second)).error).toContain('smtp.acme.example has said that this account');
      expect(await pace(address)).toMatchObject({ provider: null, paused: true });
      expect(await dailySent(services, address)).toBe(2);
      await pass(seconds + 1);
      expect(await deliver(services, first)).toBe('sent');
      expect(await pace(address)).toMatchObject({ paused: false });
    },
  );

  it('to several messages at once counts as one pause; the next one doubles it', async () => {
    const address = await account(OTHER);
    const ids = await Promise.all(Array.from({ length: 6 }, () => submit(services, address)));
    mailer.next.push(
      ...Array.from({ length: 6 }, () => refuseIt('rate_limited_by_provider', 'minute')),
    );
    await Promise.all(ids.map((id) => deliver(services, id)));
    const strikes = async () => {
      const { rows } = await sql<{ strikes: number }>`select strikes from smtp_pace`.execute(
        services.db,
      );
      return rows.map((one) => one.strikes);
    };
    expect(await strikes()).toEqual([1]);
    // They are retried one at a time, in the order of refusal.
    const held = await Promise.all(
      ids.map(async (id) => ({ id, nextMs: (await row(id)).next_ms ?? 0 })),
    );
    const line = held.toSorted((one, other) => one.nextMs - other.nextMs);
    const gaps = line.slice(1).map(({ nextMs }, n) => nextMs - (line[n]?.nextMs ?? 0));
    expect(gaps.filter((ms) => ms < 9_000)).toEqual([]);
    await pass(61);
    mailer.next.length = 0;
    mailer.next.push(refuseIt('rate_limited_by_provider', 'minute'));
    const [{ id }] = line as [(typeof line)[number]]; // six were held
    expect(await deliver(services, id)).toBe('postponed');
    expect(await strikes()).toEqual([2]);
    expect((await row(id)).next_ms).toBeGreaterThan(110_000);
  });

  it('holds a message for three days; then it fails and no longer counts towards the day', async () => {
    const address = await account(OTHER);
    const id = await submit(services, address);
    let attempts = 0;
    for (; (await row(id)).status === 'queued' && attempts < 10; attempts += 1) {
      mailer.next.push(refuseIt('rate_limited_by_provider', 'day'));
      await deliver(services, id);
      await pass(24 * 3_600 + 1);
    }
    expect(attempts).toBe(4);
    expect(await row(id)).toMatchObject({
      status: 'failed',
      error_class: 'rate_limited_by_provider',
    });
    expect((await row(id)).error).toContain(
      'Given up after waiting three days for a sending limit',
    );
    expect(await dailySent(services, address)).toBe(0);
  });

  it('to a verification is reported at once, and causes no pause', async () => {
    const address = await account(OTHER);
    mailer.next.push(refuseIt('rate_limited_by_provider', 'day'));
    expect(await deliver(services, await verification(address))).toBe('failed');
    expect(await deliver(services, await submit(services, address))).toBe('sent');
  });

  it('ends its pause when a verification succeeds: waiting messages are due again', async () => {
    const address = await account(OTHER);
    const [first, second] = [await submit(services, address), await submit(services, address)];
    mailer.next.push(refuseIt('rate_limited_by_provider', 'day'));
    await deliver(services, first);
    await deliver(services, second);
    expect(await deliver(services, await verification(address))).toBe('sent');
    for (const id of [first, second]) expect(await deliver(services, id)).toBe('sent');
  });

  it('ends its pause when the service sends a mail of its own', async () => {
    const address = await account(OTHER);
    const id = await submit(services, address);
    mailer.next.push(refuseIt('rate_limited_by_provider', 'day'));
    expect(await deliver(services, id)).toBe('postponed');
    const mail = { to: 'me@inbox.test', subject: 'Your password', text: 'A link.' };
    expect(await createServiceMail(services).send(mail)).toBe(true);
    expect(await deliver(services, id)).toBe('sent');
  });

  it('gives each workspace its turns when a pause ends: a first message goes before a second', async () => {
    const { workspaceId } = await createWorkspace(services.db, {
      name: 'Another',
      planTier: 'Enterprise',
    });
    const many = await account(OTHER);
    const one = await insertAccount(services, workspaceId, OTHER);
    const ids = await Promise.all([many, many, many, one].map((from) => submit(services, from)));
    for (const id of ids) {
      mailer.next.push(refuseIt('rate_limited_by_provider', 'day'));
      expect(await deliver(services, id)).toBe('postponed');
      mailer.next.length = 0;
    }
    const asked = await verification(many);
    const priorities = new Map<unknown, number | undefined>();
    const producer: Services['producer'] = {
      ...services.producer,
      enqueueMany: async (_queue, payloads, options) => {
        for (const payload of payloads)
          priorities.set((payload as { messageId: EmailMessageId }).messageId, options?.priority); // the payload type of this queue
      },
    };
    expect(await deliver({ ...services, producer }, asked)).toBe('sent');
    const [, , , anothers] = ids.map((id) => priorities.get(id));
    expect(anothers).toBe(1);
    expect(new Set(priorities.values())).toEqual(new Set([1, 2]));
  });

  it('ends its pause for all accounts of the SMTP user, in all workspaces, and for no others', async () => {
    const other = { name: 'Another', planTier: 'Enterprise' } as const;
    const { workspaceId } = await createWorkspace(services.db, other);
    const address = await account(OTHER);
    const spelled = { smtp_host: 'SMTP.acme.example', smtp_user: 'Ada@acme.example' };
    const ids = [
      await submit(services, address),
      await submit(services, await account(spelled)),
      await submit(services, await insertAccount(services, workspaceId, OTHER)),
    ];
    const bob = { ...OTHER, smtp_user: 'bob@acme.example' };
    const anothers = await submit(services, await account(bob));
    for (const id of [anothers, ...ids]) {
      mailer.next.push(refuseIt('rate_limited_by_provider', 'day'));
      expect(await deliver(services, id)).toBe('postponed');
      mailer.next.length = 0;
    }
    expect(await deliver(services, await verification(address))).toBe('sent');
    for (const id of ids) expect(await deliver(services, id)).toBe('sent');
    expect(await deliver(services, anothers)).toBe('nothing to do');
  });

  it('that is only presumed is handled like other temporary failures', async () => {
    const address = await account(OTHER);
    const id = await submit(services, address);
    mailer.next.push((...args) =>
      refuseIt('server_busy')(...args).then((outcome) => ({
        ...outcome,
        errorClass: 'rate_limited_by_provider' as const,
      })),
    );
    expect(await deliver(services, id)).toBe('postponed');
    expect(await row(id)).toMatchObject({ attempts: 1, is_limited: false });
    expect(await deliver(services, await submit(services, address))).toBe('sent');
  });
});
