// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { lockAccount } from '#src/email/accounts.ts';
import { changeAccount } from '#src/email/administration/change-account.ts';
import { changeBounceMailbox } from '#src/email/administration/change-bounce-mailbox.ts';
import { createBounceMailbox } from '#src/email/administration/create-bounce-mailbox.ts';
import { requestVerification } from '#src/email/administration/request-verification.ts';
import { applyReturn } from '#src/email/bounces/apply-return.ts';
import { claimMailbox } from '#src/email/bounces/claim-mailbox.ts';
import { reconcilePolls } from '#src/email/bounces/send-polls.ts';
import { claimMessage } from '#src/email/claim-message.ts';
import { eraseMessages } from '#src/email/erase-messages.ts';
import { paceKeyOf, paceLimitOf } from '#src/email/pace-key.ts';
import { pausePace } from '#src/email/pause-pace.ts';
import { reconcileMessages } from '#src/email/reconcile-messages.ts';
import { endMessage } from '#src/email/record-outcome.ts';
import { lockPace, moveNext, takeTurn } from '#src/email/take-turn.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { insertAccount, NEVER, submit } from '#test/support/email-rows.ts';
import { silentDns } from '#test/support/email-stage.ts';
import { createFakeMailer } from '#test/support/fake-mailer.ts';
import { afterWaiting, openImpatientServices, whileLocked } from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  let workspaceId: WorkspaceId;
  let userId: UserId;
  beforeAll(async () => {
    stage = await openImpatientServices();
    services = { ...stage.services, mailer: createFakeMailer(), dns: silentDns };
  });
  afterAll(() => stage[Symbol.asyncDispose]());
  beforeEach(async () => {
    ({ workspaceId, userId } = await createWorkspace(services.db, {
      name: 'Of a test',
      planTier: 'Enterprise',
    }));
  });

  const lockOne = (table: string, id: string) => (trx: Services['db']) =>
    sql`select 1 from ${sql.table(table)} where id = ${id} for update`.execute(trx);

  describe('a sender account', () => {
    it('that has just moved gives its password to no third server', async () => {
      const account = await insertAccount(services, workspaceId);
      const { smtp_host: host } = await services.db
        .selectFrom('email_account')
        .select('smtp_host')
        .where('id', '=', account.id)
        .executeTakeFirstOrThrow();
      const changed = afterWaiting(
        services.db,
        (trx) =>
          sql`update email_account set smtp_host = '93.184.216.35'
            where id = ${account.id}`.execute(trx),
        () => changeAccount(services, account, { smtp_host: host }, NEVER),
      );
      await expect(changed).rejects.toThrow(/smtp_password: is required/);
    });

    it('is verified once when that is asked twice', async () => {
      const account = await insertAccount(services, workspaceId);
      const recipient = 'ann@acme.example';
      await afterWaiting(
        services.db,
        (trx) => lockAccount(trx, account),
        () => requestVerification(services, account, { userId, recipient, requestId: 'of-a-test' }),
      );
    });
  });

  describe('a message', () => {
    const newMessage = async () =>
      submit(services, await insertAccount(services, workspaceId), { to: 'lead@firm.test' });

    it('is locked after its account, as always', async () => {
      const message = await claimMessage(services.db, await newMessage());
      if (message === null) throw new Error('A message that was just submitted is due.');
      const ending = {
        status: 'failed',
        errorClass: 'failed',
        error: 'A test has ended it.',
        advice: [],
      } as const;
      await afterWaiting(
        services.db,
        lockOne('email_account', message.email_account_id),
        () => endMessage(services, message, ending),
        (trx) =>
          sql`select 1 from email_message where id = ${message.id} for update nowait`.execute(trx),
      );
    });

    it('that is late is sent again, except the one that is being written', async () => {
      const account = await insertAccount(services, workspaceId);
      const ids = [await submit(services, account), await submit(services, account)];
      await sql`update email_message set queued_at = 'epoch', created_at = 'epoch'
        where id = any(${ids}::uuid[])`.execute(services.db);
      const sent = await whileLocked(services.db, lockOne('email_message', ids[0] ?? ''), () =>
        reconcileMessages(services),
      );
      expect(sent).toEqual({ 'email-verify': 0, 'email-send': 1 });
    });

    it.each(['its id', 'its recipient'])(
      'whose recipient is being erased brings nobody on a list: known by %s',
      async (by) => {
        const id = await newMessage();
        await sql`update email_message set status = 'sent', finished_at = now()
          where id = ${id}`.execute(services.db);
        const isNamed = by === 'its id';
        const applied = await afterWaiting(
          services.db,
          (trx) => eraseMessages(trx, workspaceId, { emails: ['lead@firm.test'], domains: [] }),
          () =>
            applyReturn(
              services,
              { workspaceId, emailAccountId: null, isTrusted: true },
              {
                kind: 'complained',
                statusCode: null,
                cause: 'complaint',
                messageIds: isNamed ? [`${id}@acme.example`] : [],
                envelopeId: null,
                recipient: { final: 'lead@firm.test', original: null },
              },
            ),
        );
        expect(applied).toBe('ignored');
        const { rows } = await sql`select value from do_not_contact
          where workspace_id = ${workspaceId}`.execute(services.db);
        expect(rows).toEqual([]);
      },
    );

    it('takes its turn behind the one that takes a turn at the same moment', async () => {
      const user = `${workspaceId}@gmail.com`;
      const sender = { workspace_id: workspaceId, smtp_host: 'smtp.gmail.com', smtp_user: user };
      const key = paceKeyOf(sender);
      const place = await afterWaiting(
        services.db,
        async (trx) => {
          await lockPace(trx, key, paceLimitOf(sender));
          await moveNext(trx, key, 3_600_000);
        },
        () => takeTurn(services.db, sender, { hasTurn: false }),
      );
      expect(place.kind).toBe('later');
    });

    it('that is refused at the same moment as another one makes one pause with it', async () => {
      const user = `${workspaceId}@gmail.com`;
      const sender = { workspace_id: workspaceId, smtp_host: 'smtp.gmail.com', smtp_user: user };
      const [paceKey, limit] = [paceKeyOf(sender), paceLimitOf(sender)];
      await afterWaiting(
        services.db,
        async (trx) => {
          await lockPace(trx, paceKey, limit);
          await sql`update smtp_pace set strikes = 1 where pace_key = ${paceKey}`.execute(trx);
        },
        () => pausePace(services.db, { paceKey, limit, strikes: 0, hour: null }, 'hour'),
      );
      const { rows } = await sql`
        select strikes from smtp_pace where pace_key = ${paceKey}`.execute(services.db);
      expect(rows).toEqual([{ strikes: 1 }]);
    });
  });

  describe('a bounce mailbox', () => {
    const newMailbox = async () => {
      const { mailbox } = await createBounceMailbox(
        services,
        workspaceId,
        {
          kind: 'imap',
          host: '93.184.216.34',
          username: 'returns',
          password: 'password-of-a-test',
        },
        NEVER,
      );
      return mailbox.id;
    };

    it('that has just moved gives its password to no third server', async () => {
      const id = await newMailbox();
      const changed = afterWaiting(
        services.db,
        (trx) =>
          sql`update bounce_mailbox set host = '93.184.216.35' where id = ${id}`.execute(trx),
        () => changeBounceMailbox(services, { workspaceId, id }, { username: 'others' }, NEVER),
      );
      await expect(changed).rejects.toThrow(/at the same time/);
    });

    it('is read by one of two workers', async () => {
      const id = await newMailbox();
      const second = await afterWaiting(
        services.db,
        (trx) => claimMailbox(trx, id),
        () => claimMailbox(services.db, id),
      );
      expect(second).toBeNull();
    });

    it('that is late is sent again, except the one that is being written', async () => {
      await sql`delete from bounce_mailbox`.execute(services.db);
      const [first] = [await newMailbox(), await newMailbox()];
      await sql`update bounce_mailbox set queued_at = 'epoch'`.execute(services.db);
      const sent = await whileLocked(services.db, lockOne('bounce_mailbox', first), () =>
        reconcilePolls(services),
      );
      expect(sent).toBe(1);
    });
  });
});
