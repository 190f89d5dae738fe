// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emailSend } from '#queues/email-send.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import { deleteAccount } from '#src/email/administration/delete-account.ts';
import { reconcileMessages, recoverMessages } from '#src/email/reconcile-messages.ts';
import { sweepMessages } from '#src/email/sweep-messages.ts';
import type { EmailMessageId } from '#src/ids.ts';
import { addDoNotContact } from '#src/outreach/do-not-contact.ts';
import type { Services } from '#src/services.ts';
import {
  dailySent,
  deliver,
  insertAccount,
  NEVER,
  expireClaim,
  submit,
} from '#test/support/email-rows.ts';
import { messageRows, PASSWORD, silentDns } from '#test/support/email-stage.ts';
import { createFakeMailer, type FakeMailer, refuseIt, takeIt } from '#test/support/fake-mailer.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

let opened: TestServices;
let services: Services;
let mailer: FakeMailer;
let account: AccountAddress;
beforeAll(async () => {
  opened = await openTestServices();
});
afterAll(() => opened[Symbol.asyncDispose]());
beforeEach(async () => {
  mailer = createFakeMailer();
  services = { ...opened.services, mailer, dns: silentDns };
  account = await insertAccount(services, opened.workspaceId);
});

async function row(id: EmailMessageId) {
  const found = (await messageRows({ services }, account.id)).find((one) => one.id === id);
  if (!found) throw new Error(`Message ${id} does not exist.`);
  return found;
}

const gate = () => Promise.withResolvers<void>();

/** Holds the next attempt until `release`: `before` the content is sent, or `after`. */
function hold(when: 'before' | 'after') {
  const [reached, release] = [gate(), gate()];
  mailer.next.push(async (...args) => {
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

describe('a worker that dies', () => {
  it('before the content leaves the message to the next worker, which sends it', async () => {
    const id = await submit(services, account);
    const dead = hold('before');
    const late = deliver(services, id);
    await dead.reached;
    expect(await deliver(services, id)).toBe('nothing to do');
    await expireClaim(services, id);
    expect(await deliver(services, id)).toBe('sent');
    dead.release();
    expect(await late).toBe('taken away');
    expect([mailer.sent.length, (await row(id)).status]).toEqual([1, 'sent']);
    expect(await dailySent(services, account)).toBe(1);
  });

  it('during the content leaves a message that is never sent again and stays counted', async () => {
    const id = await submit(services, account);
    const dead = hold('after');
    const late = deliver(services, id);
    await dead.reached;
    await expireClaim(services, id);
    expect(await deliver(services, id)).toBe('unknown');
    await expireClaim(services, id);
    expect(await deliver(services, id)).toBe('nothing to do');
    dead.release();
    expect(await late).toBe('taken away');
    const { status, text_body: text, claim_token: token } = await row(id);
    expect([status, text, token, mailer.attempts]).toEqual(['unknown', null, null, 1]);
    expect(await dailySent(services, account)).toBe(1);
  });

  it('repeatedly makes the message fail', async () => {
    const id = await submit(services, account);
    await sql`update email_message set status = 'sending', attempts = 11, claim_token = 'dead',
      claimed_until = now() - interval '1 second' where id = ${id}`.execute(services.db);
    expect(await deliver(services, id)).toBe('failed');
    expect([mailer.attempts, await dailySent(services, account)]).toEqual([0, 0]);
  });
});

describe('a message', () => {
  it('is sent once by twenty workers', async () => {
    const id = await submit(services, account);
    const ends = await Promise.all(Array.from({ length: 20 }, () => deliver(services, id)));
    expect(ends.filter((end) => end === 'sent')).toHaveLength(1);
    expect(ends.filter((end) => end === 'nothing to do')).toHaveLength(19);
    expect(mailer.attempts).toBe(1);
  });

  it('handed back by a stopping process costs no attempt', async () => {
    const id = await submit(services, account);
    const stop = new AbortController();
    mailer.next.push((_settings, _message, { signal }) => {
      stop.abort(new Error('stopping'));
      return Promise.reject(signal.reason as Error); // the error given to abort()
    });
    await expect(deliver(services, id, stop.signal)).rejects.toThrow('stopping');
    expect(await row(id)).toMatchObject({ status: 'queued', attempts: 0, claim_token: null });
    expect(await deliver(services, id)).toBe('sent');
  });

  it.each([
    ['before', 'queued'],
    ['after', 'unknown'],
  ] as const)(
    'with an internal error %s its content is %s, and the error is reported',
    async (when, status) => {
      const id = await submit(services, account);
      mailer.next.push(async (_settings, _message, { beforeData }) => {
        if (when === 'after') await beforeData();
        throw new Error('a fault of ours');
      });
      await expect(deliver(services, id)).rejects.toThrow('a fault of ours');
      expect((await row(id)).status).toBe(status);
      expect(await dailySent(services, account)).toBe(1);
    },
  );

  it('with an internal error and a database that is away reports the error, not the outage', async () => {
    const id = await submit(services, account);
    mailer.next.push(async () => {
      await sql`alter table email_message rename to email_message_away`.execute(services.db);
      throw new Error('a fault of ours');
    });
    const failure = await deliver(services, id).catch((error: unknown) => error);
    await sql`alter table email_message_away rename to email_message`.execute(services.db);
    expect(failure).toEqual(new Error('a fault of ours'));
    await expireClaim(services, id);
    expect(await deliver(services, id)).toBe('sent');
  });

  it('is deferred at most eight times, each time for longer, then refunded', async () => {
    const id = await submit(services, account);
    mailer.next.push(...Array.from({ length: 8 }, () => refuseIt('greylisted')));
    const pauses: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      expect(await deliver(services, id)).toBe('postponed');
      expect(await deliver(services, id)).toBe('nothing to do');
      const { next_attempt_at: next, data_started_at: begun } = await row(id);
      expect(begun).toBeNull();
      pauses.push((next?.getTime() ?? 0) - Date.now());
      await expireClaim(services, id);
    }
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses[0]).toBeGreaterThan(50_000);
    expect(await dailySent(services, account)).toBe(1);
    expect(await deliver(services, id)).toBe('failed');
    expect(await row(id)).toMatchObject({ error_class: 'greylisted', counted_on: null });
    expect(await dailySent(services, account)).toBe(0);
  });

  it('whose account is deleted while it is being sent is abandoned', async () => {
    const id = await submit(services, account);
    const held = hold('before');
    const sending = deliver(services, id);
    await held.reached;
    await deleteAccount(services.db, account);
    held.release();
    expect(await sending).toBe('taken away');
    expect([mailer.sent, await deliver(services, id)]).toEqual([[], 'nothing to do']);
  });

  it('whose recipient is added to the do-not-contact list meanwhile is not sent', async () => {
    const id = await submit(services, account, { to: 'Jane@blocked.test' });
    const entries = [{ kind: 'domain' as const, value: 'blocked.test' }];
    await addDoNotContact(services.db, account.workspaceId, entries, { reason: 'manual' });
    expect(await deliver(services, id)).toBe('failed');
    expect([mailer.attempts, await dailySent(services, account)]).toEqual([0, 0]);
  });

  it('whose password cannot be decrypted fails with an error that does not contain it', async () => {
    const id = await submit(services, account);
    await sql`update email_account set smtp_password = smtp_password || 'x'
      where id = ${account.id}`.execute(services.db);
    expect(await deliver(services, id)).toBe('failed');
    const { rows } = await sql<{ error: string }>`
      select error from email_message where id = ${id}`.execute(services.db);
    expect(rows[0]?.error).toContain('is damaged');
    expect(rows[0]?.error).not.toContain(PASSWORD);
    expect(mailer.attempts).toBe(0);
  });
});

describe('a queue that loses jobs', () => {
  const jobs = async (): Promise<number> => {
    const counts = await services.producer.counts(emailSend);
    return Object.values(counts).reduce((sum, n) => sum + n, 0);
  };

  it('is repaired for messages that are waiting or whose worker is dead', async () => {
    const deaf: Services = {
      ...services,
      producer: {
        ...services.producer,
        enqueueMany: () => Promise.reject(new Error('The queue is unavailable.')),
      },
      log: services.log.child({}, { level: 'silent' }),
    };
    const [waiting, abandoned, fresh] = [
      await submit(deaf, account),
      await submit(deaf, account),
      await submit(deaf, account),
    ];
    await sql`update email_message set status = 'sending', claim_token = 'dead',
      claimed_until = now() - interval '1 second' where id = ${abandoned}`.execute(services.db);
    await expireClaim(services, waiting);
    await expireClaim(services, abandoned);
    const sent: EmailMessageId[] = [];
    const listening: Services = {
      ...services,
      producer: {
        ...services.producer,
        oldestWaitingAgeMs: () => Promise.resolve(null),
        enqueueMany: async (_queue, payloads) => {
          for (const payload of payloads)
            sent.push((payload as { messageId: EmailMessageId }).messageId); // the payload type of this queue
        },
      },
    };
    await reconcileMessages(listening);
    expect(sent).toEqual(expect.arrayContaining([waiting, abandoned]));
    expect(sent).not.toContain(fresh);
    sent.length = 0;
    await reconcileMessages(listening);
    expect(sent).toEqual([]);
  });

  it('is refilled at start-up, when every claim belongs to a dead worker', async () => {
    const id = await submit(services, account);
    await sql`update email_message set status = 'sending', claim_token = 'dead',
      claimed_until = now() + interval '1 hour' where id = ${id}`.execute(services.db);
    const before = await jobs();
    await recoverMessages(services);
    expect(await jobs()).toBeGreaterThan(before);
    expect(await deliver(services, id)).toBe('sent');
  });
});

it('finished messages are deleted after their retention, and no others', async () => {
  const ids = [await submit(services, account), await submit(services, account)];
  const kept = await submit(services, account);
  for (const id of ids) await deliver(services, id);
  await sql`update email_message set created_at = created_at - interval '91 days',
    finished_at = case when id = ${ids[0]} then finished_at - interval '91 days' else finished_at end
    where email_account_id = ${account.id}`.execute(services.db);
  expect(await sweepMessages(services, NEVER)).toBe(1);
  const left = (await messageRows({ services }, account.id)).map(({ id }) => id);
  expect(new Set(left)).toEqual(new Set([ids[1], kept]));
});
