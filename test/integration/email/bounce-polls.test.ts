import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { createBounceMailbox } from '#src/email/administration/create-bounce-mailbox.ts';
import { changeBounceMailbox } from '#src/email/administration/change-bounce-mailbox.ts';
import { deleteAccount } from '#src/email/administration/delete-account.ts';
import type { AccountAddress } from '#src/email/accounts.ts';
import { MailboxFailure } from '#src/email/bounces/mailbox-failure.ts';
import { pollMailbox } from '#src/email/bounces/poll-mailbox.ts';
import { reconcilePolls, recoverPolls, sendPolls } from '#src/email/bounces/send-polls.ts';
import type { BounceMailboxId, EmailMessageId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { deliver, insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { createFakeInboxes, type FakeInboxes } from '#test/support/fake-inboxes.ts';
import { createFakeMailer } from '#test/support/fake-mailer.ts';
import { sampleReport } from '#test/support/returned-mail.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';

const BOB = 'bob@firm.example';

let opened: TestServices;
let services: Services;
let inboxes: FakeInboxes;
let account: AccountAddress;

beforeAll(async () => {
  opened = await openTestServices({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
});
afterAll(() => opened[Symbol.asyncDispose]());
beforeEach(async () => {
  inboxes = createFakeInboxes();
  services = { ...opened.services, mailer: createFakeMailer(), dns: silentDns, inboxes };
  await sql`delete from bounce_mailbox`.execute(services.db);
  await sql`update workspace set plan_tier = 'Enterprise'`.execute(services.db);
  account = await insertAccount(services, opened.workspaceId);
});

async function addMailbox(
  fields: { email_account_id?: string; host?: string; port?: number } = {},
  workspaceId: WorkspaceId = opened.workspaceId,
): Promise<BounceMailboxId> {
  const { mailbox } = await createBounceMailbox(
    services,
    workspaceId,
    {
      kind: 'imap',
      host: '93.184.216.34',
      username: 'ada',
      password: 'secret of a mailbox',
      ...fields,
    },
    NEVER,
  );
  return mailbox.id;
}

/** Polls as a worker does, as soon as the mailbox is due. */
async function poll(id: BounceMailboxId, signal: AbortSignal = NEVER): Promise<string> {
  await sql`update bounce_mailbox set next_poll_at = now() where id = ${id}`.execute(services.db);
  return (await pollMailbox(services, id, signal)).end;
}

let recipients = 0;
/** Creates a sent message, and its bounce in the mailbox. */
async function sendAndReturn(sample = 'postfix-unknown-user'): Promise<EmailMessageId> {
  recipients += 1;
  const to = `${recipients}.${BOB}`;
  const id = await submit(services, account, { to });
  expect(await deliver(services, id)).toBe('sent');
  inboxes.mail.push(sampleReport(sample, { messageId: `${id}@acme.example`, recipient: to }));
  return id;
}

const letter = (): Buffer => Buffer.from('From: carol@firm.example\r\nSubject: Hi\r\n\r\nHello.');

async function statusOf(id: EmailMessageId): Promise<string> {
  const { rows } = await sql<{ status: string }>`
    select status from email_message where id = ${id}`.execute(services.db);
  return rows[0]?.status ?? 'gone';
}

interface MailboxRow {
  cursor: { place: unknown; broken: unknown } | null;
  failures: number;
  error_class: string | null;
  error: string | null;
  returned_total: number;
  wait_seconds: number;
  is_claimed: boolean;
}

async function row(id: BounceMailboxId): Promise<MailboxRow | undefined> {
  const { rows } = await sql<MailboxRow>`
    select cursor, failures, error_class, error, returned_total,
      extract(epoch from next_poll_at - now())::float8 as wait_seconds,
      claimed_until > now() as is_claimed
    from bounce_mailbox where id = ${id}`.execute(services.db);
  return rows[0];
}

describe('a change of use_tls', () => {
  const change = async (port: number) => {
    const id = await addMailbox({ host: '127.0.0.1', port });
    const address = { workspaceId: opened.workspaceId, id };
    return changeBounceMailbox(services, address, { use_tls: false }, NEVER);
  };

  it('keeps the custom port, and so needs no password', async () => {
    expect(await change(1_993)).toMatchObject({ port: 1_993, use_tls: false });
  });

  it('moves from a standard port to the other one, which needs the password', async () => {
    await expect(change(993)).rejects.toThrow('body.password: is required');
  });
});

describe('a poll', () => {
  it('applies reports, fetches no other mail, and continues from there', async () => {
    const id = await addMailbox();
    inboxes.mail.push(letter());
    const first = await sendAndReturn();
    inboxes.mail.push(letter());
    const second = await sendAndReturn('arf-abuse');
    expect(await poll(id)).toBe('done');
    expect([await statusOf(first), await statusOf(second)]).toEqual(['bounced', 'complained']);
    expect(inboxes.fetched).toEqual([2, 4]);
    expect(inboxes.opened[0]).toMatchObject({ password: 'secret of a mailbox', useTls: true });
    const third = await sendAndReturn();
    expect(await poll(id)).toBe('done');
    expect(await statusOf(third)).toBe('bounced');
    expect(inboxes.fetched).toEqual([2, 4, 5]);
    expect(await row(id)).toMatchObject({ returned_total: 3, error: null, failures: 0 });
  });

  it('is due again after five minutes, and not before', async () => {
    const id = await addMailbox();
    expect(await poll(id)).toBe('done');
    const { wait_seconds: waitSeconds } = (await row(id)) ?? { wait_seconds: 0 };
    expect(Math.round(waitSeconds / 60)).toBe(5);
    expect((await pollMailbox(services, id, NEVER)).end).toBe('nothing to do');
  });

  it('interrupted after applying a report repeats it, and the report counts once', async () => {
    const id = await addMailbox();
    const first = await sendAndReturn();
    const second = await sendAndReturn();
    inboxes.onSource = (position) => {
      if (position === 2) throw new Error('killed');
    };
    await expect(poll(id)).rejects.toThrow('killed');
    expect([await statusOf(first), await statusOf(second)]).toEqual(['bounced', 'sent']);
    inboxes.onSource = () => undefined;
    expect(await poll(id)).toBe('done');
    expect(await statusOf(second)).toBe('bounced');
    expect(await row(id)).toMatchObject({ returned_total: 2 });
  });

  it('reports what ended it also when the database is away by then', async () => {
    const id = await addMailbox();
    for (let count = 0; count < 2; count += 1) await sendAndReturn();
    let isAway = false;
    const db = services.db.withPlugin({
      transformQuery({ node }) {
        if (isAway) throw new Error('no database');
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    inboxes.onSource = (position) => {
      isAway = position === 2;
      if (isAway) throw new Error('killed');
    };
    await expect(pollMailbox({ ...services, db }, id, NEVER)).rejects.toThrow('killed');
  });

  it('releases its mailbox when it is aborted', async () => {
    const id = await addMailbox();
    const abort = new AbortController();
    await sendAndReturn();
    inboxes.onSource = () => {
      abort.abort(new Error('stopping'));
      throw abort.signal.reason as Error;
    };
    await expect(poll(id, abort.signal)).rejects.toThrow('stopping');
    expect(await row(id)).toMatchObject({ failures: 0, is_claimed: null, error: null });
    inboxes.onSource = () => undefined;
    expect(await poll(id)).toBe('done');
  });

  it('is the only one of its mailbox, and loses its claim when the settings change', async () => {
    const id = await addMailbox();
    await sendAndReturn();
    inboxes.onSource = async () => {
      expect(await poll(id)).toBe('nothing to do');
      const address = { workspaceId: opened.workspaceId, id };
      await changeBounceMailbox(services, address, { username: 'eve' }, NEVER);
    };
    expect(await poll(id)).toBe('taken away');
    expect(await row(id)).toMatchObject({ cursor: null });
    inboxes.onSource = () => undefined;
    expect(await poll(id)).toBe('done');
    expect(inboxes.opened.at(-1)).toMatchObject({ username: 'eve' });
  });

  it('takes over from a dead worker', async () => {
    const id = await addMailbox();
    await sql`update bounce_mailbox set claim_token = 'dead',
      claimed_until = now() + interval '1 minute' where id = ${id}`.execute(services.db);
    expect(await poll(id)).toBe('nothing to do');
    await recoverPolls(services);
    expect(await poll(id)).toBe('done');
  });

  it('rereads a report after a minute if its message is still being sent', async () => {
    const id = await addMailbox();
    const early = await sendAndReturn();
    await sql`update email_message set status = 'sending', finished_at = null where id = ${early}`.execute(
      services.db,
    );
    expect(await poll(id)).toBe('early');
    expect(Math.round(((await row(id))?.wait_seconds ?? 0) / 60)).toBe(1);
    await sql`update email_message set status = 'sent', finished_at = now() where id = ${early}`.execute(
      services.db,
    );
    expect(await poll(id)).toBe('done');
    expect(await statusOf(early)).toBe('bounced');
  });

  it('continues in another job after a thousand messages', async () => {
    const id = await addMailbox();
    for (let count = 0; count < 1_005; count += 1) inboxes.mail.push(letter());
    const late = await sendAndReturn();
    expect(await poll(id)).toBe('more');
    expect(await statusOf(late)).toBe('sent');
    expect(await poll(id)).toBe('done');
    expect(await statusOf(late)).toBe('bounced');
  });

  it('skips a message that broke the connection three times', async () => {
    const id = await addMailbox();
    await sendAndReturn();
    const second = await sendAndReturn();
    inboxes.onSource = (position) => {
      if (position === 1) throw new MailboxFailure('connection_failed');
    };
    for (let times = 0; times < 3; times += 1) expect(await poll(id)).toBe('failed');
    expect(await statusOf(second)).toBe('sent');
    expect(await poll(id)).toBe('done');
    expect(await statusOf(second)).toBe('bounced');
    expect(await row(id)).toMatchObject({ failures: 0, error: null });
  });

  it('survives an unreadable report, and one of 50 MB', async () => {
    const id = await addMailbox();
    const head =
      'From: mailer-daemon@x.example\r\nContent-Type: multipart/report; boundary=b\r\n\r\n';
    const nested = Array.from(
      { length: 4_000 },
      (_, depth) =>
        `--b${depth || ''}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n\r\n`,
    );
    inboxes.mail.push(Buffer.from(head + nested.join('')));
    inboxes.mail.push(Buffer.from(`${head}${'x'.repeat(50 * 1024 * 1024)}`));
    const last = await sendAndReturn();
    expect(await poll(id)).toBe('done');
    expect(await statusOf(last)).toBe('bounced');
  });

  it('reports what is wrong, slows down, and recovers', async () => {
    const id = await addMailbox();
    inboxes.failure = new MailboxFailure('auth_failed');
    const waits: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      expect(await poll(id)).toBe('failed');
      waits.push(Math.round(((await row(id))?.wait_seconds ?? 0) / 3_600));
    }
    expect(waits).toEqual([1, 2, 4]);
    const failing = await row(id);
    expect(failing).toMatchObject({ failures: 3, error_class: 'auth_failed' });
    expect(failing?.error).toContain('did not accept the user name and password');
    inboxes.failure = null;
    expect(await poll(id)).toBe('done');
    expect(await row(id)).toMatchObject({ failures: 0, error_class: null, error: null });
  });

  it('reports a password that cannot be decrypted', async () => {
    const id = await addMailbox();
    await sql`update bounce_mailbox set password = 'v1.00000000.AAAAAAAAAAAAAAAA.AAAA' where id = ${id}`.execute(
      services.db,
    );
    expect(await poll(id)).toBe('failed');
    expect(await row(id)).toMatchObject({ error_class: 'password_unreadable' });
    expect(inboxes.opened).toEqual([]);
  });

  it('waits while the plan of the workspace has no sender accounts', async () => {
    const id = await addMailbox();
    await sql`update workspace set plan_tier = 'Free'`.execute(services.db);
    expect(await poll(id)).toBe('nothing to do');
    await sql`update bounce_mailbox set queued_at = now() - interval '1 hour'`.execute(services.db);
    expect(await reconcilePolls(services)).toBe(0);
    await sql`update workspace set plan_tier = 'Personal'`.execute(services.db);
    expect(await reconcilePolls(services)).toBe(1);
    expect(await poll(id)).toBe('done');
  });

  it('is resent once by reconcile when its job was lost', async () => {
    await addMailbox();
    expect(await reconcilePolls(services)).toBe(0);
    await sql`update bounce_mailbox set queued_at = now() - interval '1 hour'`.execute(services.db);
    expect([await reconcilePolls(services), await reconcilePolls(services)]).toEqual([1, 0]);
  });

  it('takes turns with those of other workspaces, when it is asked for and when its job was lost', async () => {
    const crowd = [await addMailbox(), await addMailbox(), await addMailbox()];
    const { workspaceId } = await createWorkspace(services.db, {
      name: 'Other',
      planTier: 'Enterprise',
    });
    const only = await addMailbox({}, workspaceId);
    const priorities = new Map<string, number | undefined>();
    const listening: Services = {
      ...services,
      producer: {
        ...services.producer,
        enqueueMany: async (_queue, payloads, options) => {
          for (const { bounceMailboxId: id } of payloads as readonly { bounceMailboxId?: string }[])
            priorities.set(String(id), options?.priority);
        },
      },
    };
    const places = () => [...crowd, only].map((id) => priorities.get(id));
    await sql`update bounce_mailbox set next_poll_at = now() + interval '1 hour'`.execute(
      services.db,
    );
    await sendPolls(listening, [only, ...crowd], 3_600_000);
    expect(new Set(places().slice(0, 3))).toEqual(new Set([1, 2, 3]));
    expect(places()[3]).toBe(1);
    // Long overdue, at different times.
    await sql`update bounce_mailbox set queued_at = 'epoch', next_poll_at = now()
      - make_interval(hours => array_position(${[...crowd, only]}::uuid[], id))`.execute(
      services.db,
    );
    expect(await reconcilePolls(listening)).toBe(4);
    expect(places()).toEqual([3, 2, 1, 1]);
    // One that is being read is ahead of all.
    await sql`update bounce_mailbox set claimed_until = now() + interval '1 minute'
      where id = ${crowd[0]}`.execute(services.db);
    await sendPolls(listening, crowd.slice(1), 0);
    expect(places()).toEqual([3, 3, 2, 1]);
  });

  it('ends with its sender account', async () => {
    const id = await addMailbox({ email_account_id: account.id });
    await deleteAccount(services.db, account);
    expect(await row(id)).toBeUndefined();
    expect((await pollMailbox(services, id, NEVER)).end).toBe('nothing to do');
  });
});
