// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateAccount } from '#src/accounts/account.ts';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import { changeSignInRole, removeMember } from '#src/accounts/members.ts';
import { acceptInvitation } from '#src/accounts/people/accept-invitation.ts';
import { deletePerson } from '#src/accounts/people/delete-person.ts';
import { invite } from '#src/accounts/people/invitations.ts';
import { takeAttempt } from '#src/accounts/people/limit-attempts.ts';
import { makeOwnerToken, useOwnerLink } from '#src/accounts/people/owner-link.ts';
import { pruneExpired } from '#src/accounts/people/sessions.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { setPlan } from '#src/billing/set-plan.ts';
import { newAgentSchema } from '#src/chat/agents/agent-request.ts';
import { createAgent } from '#src/chat/agents/save-agent.ts';
import { createTool } from '#src/chat/custom-tools/custom-tools.ts';
import { createBounceMailbox } from '#src/email/administration/create-bounce-mailbox.ts';
import { deleteAccount } from '#src/email/administration/delete-account.ts';
import { setDefault } from '#src/email/administration/set-default.ts';
import { applyReturn } from '#src/email/bounces/apply-return.ts';
import type { PersonId, UserId } from '#src/ids.ts';
import { eraseLeads } from '#src/leads/scrapes/erase-leads.ts';
import { extendDoNotContact } from '#src/outreach/list-do-not-contact.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { Services } from '#src/services.ts';
import { createEndpoint } from '#src/webhooks/administration/create-endpoint.ts';
import { insertAccount, NEVER } from '#test/support/email-rows.ts';
import { insertMembership, insertPerson } from '#test/support/seed-people.ts';
import { afterWaiting, openImpatientServices, whileLocked } from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const noLimit = () => null;
  const newWorkspace = () =>
    createWorkspace(services.db, { name: 'Of a test', planTier: 'Enterprise' });
  type Owner = Awaited<ReturnType<typeof newWorkspace>>;
  /** A colleague of the owner who signs in. */
  const newPerson = async ({ workspaceId }: Owner) => {
    const { personId, personMemberId } = await insertPerson(services, workspaceId, 'member');
    return { personId: personId as PersonId, personMemberId: personMemberId as UserId };
  };

  describe('the lock on the workspace', () => {
    const inTransaction = (work: (trx: DatabaseTransaction) => Promise<unknown>) => () =>
      services.db.transaction().execute(work);

    /** Verbs that count against a limit of the workspace, or must not overtake each other; each gets its arguments ready. */
    const VERBS: Record<string, (owner: Owner) => Promise<() => Promise<unknown>>> = {
      'a member who is removed': async (owner) => {
        const { personMemberId: userId } = await newPerson(owner);
        const { workspaceId, userId: by } = owner;
        return () => removeMember(services.db, { workspaceId, userId, by });
      },
      'a member who gets another role': async (owner) => {
        const { personMemberId: userId } = await newPerson(owner);
        const { workspaceId, userId: by } = owner;
        const change = { workspaceId, userId, by, role: 'read' } as const;
        return () => changeSignInRole(services.db, change);
      },
      'a person who leaves': async (owner) => {
        const { personId } = await newPerson(owner);
        return () => deletePerson(services.db, personId);
      },
      'an invitation': async ({ workspaceId, userId: by }) => {
        const guest = { workspaceId, by, email: 'guest@example.com', role: 'member' } as const;
        return () => invite(services.db, guest, noLimit);
      },
      'an agent that is made': async (maker) => {
        const wanted = newAgentSchema.parse({ name: 'Helper' });
        return () => createAgent(services.db, services.chatModels, maker, wanted);
      },
      'a tool that is made': async (admin) => {
        const definition = {
          openapi: '3.1.0',
          info: { title: 'Shop', version: '1' },
          servers: [{ url: 'http://127.0.0.1:8080' }],
          paths: { '/prices': { get: { operationId: 'prices', responses: {} } } },
        };
        return () => createTool(services, admin, { name: 'shop', definition }, NEVER);
      },
      'a webhook endpoint': async ({ workspaceId }) => {
        const request = { url: 'https://93.184.216.34/hook' };
        return () => createEndpoint(services, workspaceId, request, NEVER);
      },
      'a sender account that is made': async ({ workspaceId }) => {
        return () => insertAccount(services, workspaceId);
      },
      'a sender account that is deleted': async ({ workspaceId }) => {
        const address = await insertAccount(services, workspaceId);
        return () => deleteAccount(services.db, address);
      },
      'a sender account that becomes the default': async ({ workspaceId }) => {
        const address = await insertAccount(services, workspaceId);
        return () => setDefault(services.db, address);
      },
      'a bounce mailbox': async ({ workspaceId }) => {
        return () => createBounceMailbox(services, workspaceId, { kind: 'webhook' }, NEVER);
      },
      'a report of a returned message': async ({ workspaceId }) => {
        const source = { workspaceId, emailAccountId: null, isTrusted: true };
        return () =>
          applyReturn(services, source, {
            kind: 'complained',
            statusCode: null,
            cause: 'complaint',
            messageIds: [],
            envelopeId: null,
            recipient: { final: 'lead@firm.test', original: null },
          });
      },
      'an entry on the do-not-contact list': async ({ workspaceId }) =>
        inTransaction((trx) =>
          extendDoNotContact(trx, workspaceId, [{ kind: 'domain', value: 'firm.test' }], {
            reason: 'manual',
          }),
        ),
      'an erasure of leads': async ({ workspaceId }) =>
        inTransaction((trx) => eraseLeads(trx, workspaceId, { emails: [], domains: ['a.test'] })),
    };

    it.each(Object.entries(VERBS))('makes %s wait', async (_, prepare) => {
      const owner = await newWorkspace();
      const verb = await prepare(owner);
      await afterWaiting(services.db, (trx) => lockWorkspace(trx, owner.workspaceId), verb);
    });

    it('makes whoever accepts an invitation wait before the invitation is touched', async () => {
      const { workspaceId, userId: by } = await newWorkspace();
      const email = `${randomUUID()}@example.com`;
      const guest = { workspaceId, by, email, role: 'member' } as const;
      const { token } = await invite(services.db, guest, noLimit);
      const newcomer = { session: null, newPerson: { name: 'Guest', passwordHash: 'none' } };
      const accepted = await afterWaiting(
        services.db,
        (trx) => lockWorkspace(trx, workspaceId),
        () => acceptInvitation(services.db, token, newcomer, noLimit),
        // As who invites the same address again does.
        (trx) =>
          sql`select 1 from invitation where email = ${email} for update nowait`.execute(trx),
      );
      expect(accepted).toEqual({ workspaceId, newEmail: email });
    });

    it('makes a plan that is set follow what another decision has just written', async () => {
      const { workspaceId } = await newWorkspace();
      const plan = { workspaceId, planTier: 'Pro', now: new Date(), graceDays: 7 } as const;
      const changed = await afterWaiting(
        services.db,
        (trx) =>
          sql`update workspace set plan_tier = 'Agency', base_plan_tier = 'Agency'
            where id = ${workspaceId}`.execute(trx),
        () => setPlan(services.db, plan),
      );
      expect(changed.previousPlanTier).toBe('Agency');
    });

    it('makes the owner link wait', async () => {
      const { token } = await makeOwnerToken(services.db);
      const owner = { name: 'Owner', email: 'owner@example.com', passwordHash: 'none' };
      await afterWaiting(
        services.db,
        (trx) => lockWorkspace(trx, stage.workspaceId),
        () => useOwnerLink(services.db, token, owner),
      );
    });
  });

  it('an address that is invited to two workspaces signs up once', async () => {
    const { workspaceId, userId: by } = await newWorkspace();
    const email = `${randomUUID()}@example.com`;
    const guest = { workspaceId, by, email, role: 'member' } as const;
    const { token } = await invite(services.db, guest, noLimit);
    const newcomer = { session: null, newPerson: { name: 'Guest', passwordHash: 'none' } };
    const accepted = afterWaiting(
      services.db,
      (trx) => sql`insert into person (name, email) values ('Guest', ${email})`.execute(trx),
      () => acceptInvitation(services.db, token, newcomer, noLimit),
    );
    await expect(accepted).rejects.toThrow(/signs in with this address since a moment ago/);
  });

  it('a person who is removed from one workspace stays in another that is admitting them', async () => {
    const [from, to] = [await newWorkspace(), await newWorkspace()];
    const { personId, personMemberId: userId } = await newPerson(from);
    const member = { id: randomUUID(), workspaceId: to.workspaceId, personId };
    await afterWaiting(
      services.db,
      (trx) => insertMembership(trx, { ...member, role: 'member', name: 'Ann' }),
      () => removeMember(services.db, { workspaceId: from.workspaceId, userId, by: from.userId }),
    );
    const { rows } = await sql`
      select id from user_account where person_id = ${personId}`.execute(services.db);
    expect(rows).toEqual([{ id: member.id }]);
  });

  it('a time zone that has just been changed is not changed again', async () => {
    const owner = await newWorkspace();
    const changed = afterWaiting(
      services.db,
      (trx) =>
        sql`update user_account set time_zone = 'Asia/Tokyo', time_zone_changed_at = now()
          where id = ${owner.userId}`.execute(trx),
      () => updateAccount(services.db, owner, { displayName: null, timeZone: 'Europe/Berlin' }),
    );
    await expect(changed).rejects.toThrow(/less than 24 hours ago/);
  });

  it('two attempts to sign in are both counted', async () => {
    const limit = { max: 1, seconds: 60 };
    const second = await afterWaiting(
      services.db,
      (trx) => takeAttempt(trx, 'account', limit),
      () => takeAttempt(services.db, 'account', limit),
    );
    expect(second.allowed).toBe(false);
  });

  it('an attempt does not wait for an expired one that somebody else deletes', async () => {
    await sql`insert into sign_in_attempt (key, count, ends_at)
      select 'expired ' || n, 1, now() - interval '1 hour' from generate_series(1, 2) as n`.execute(
      services.db,
    );
    await whileLocked(
      services.db,
      (trx) => sql`select 1 from sign_in_attempt where key = 'expired 1' for update`.execute(trx),
      () => takeAttempt(services.db, 'fresh', { max: 1, seconds: 60 }),
    );
    const { rows } = await sql`
      select key from sign_in_attempt where key like 'expired %'`.execute(services.db);
    expect(rows).toEqual([{ key: 'expired 1' }]);
  });

  it('signing in does not wait for an expired session that somebody else deletes', async () => {
    const { personId } = await newPerson(await newWorkspace());
    await sql`insert into person_session (person_id, token, expires_at)
      select ${personId}::uuid, 'expired ' || n, now() - interval '1 hour' from generate_series(1, 2) as n`.execute(
      services.db,
    );
    await whileLocked(
      services.db,
      (trx) => sql`select 1 from person_session where token = 'expired 1' for update`.execute(trx),
      () => pruneExpired(services.db),
    );
    const { rows } = await sql`
      select token from person_session where person_id = ${personId}`.execute(services.db);
    expect(rows).toEqual([{ token: 'expired 1' }]);
  });
});
