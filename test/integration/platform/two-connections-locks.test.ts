// @module-tag queues
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBootstrap } from '#src/accounts/ensure-bootstrap.ts';
import { addMember } from '#src/accounts/members.ts';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import { openRequestLog } from '#src/api/open-request-log.ts';
import { applyStripeEvent } from '#src/billing/apply-stripe-event.ts';
import { explainNoSeat } from '#src/billing/plans.ts';
import { settlePlan } from '#src/billing/settle-plan.ts';
import { stripeEvent } from '#src/billing/stripe-object.ts';
import { beginTurns, askTurn } from '#src/chat/turns/begin-turns.ts';
import { insertSession } from '#src/chat/turns/insert-session.ts';
import { assertEmbeddingModel } from '#src/documents/embedding-model.ts';
import { underBuildLock } from '#src/documents/vector-index.ts';
import { assertKeyRing } from '#src/encryption/assert-key-ring.ts';
import { resealValues } from '#src/encryption/reseal-values.ts';
import { createWatch } from '#src/operations/watch-queues.ts';
import { openUnsubscribeKeys } from '#src/outreach/unsubscribe-keys.ts';
import { createSecretBox } from '#src/platform/crypto.ts';
import { awardPoints } from '#src/points/award-points.ts';
import { lockAccount } from '#src/points/ledger.ts';
import type { Services } from '#src/services.ts';
import { insertCredentials } from '#test/support/seed-sealed.ts';
import { eventFixture, subscriptionFixture } from '#test/support/stripe-fixtures.ts';
import {
  afterWaiting,
  queuedBehindLock,
  whileLocked,
  openImpatientServices,
  valuesOf,
} from '#test/support/two-connections.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];
const NEVER = new AbortController().signal;

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const newWorkspace = (planTier: 'Free' | 'Personal' = 'Free') =>
    createWorkspace(services.db, { name: 'Of a test', planTier });
  const lockWorkspace = (workspaceId: string) => (trx: Services['db']) =>
    sql`select 1 from workspace where id = ${workspaceId} for no key update`.execute(trx);

  describe('a plan', () => {
    it('is settled with what another decision has just written', async () => {
      const { workspaceId } = await newWorkspace();
      const terms = { now: new Date(), graceDays: 7 };
      const [settled] = valuesOf(
        await queuedBehindLock(
          services.db,
          (trx) =>
            sql`update workspace set plan_tier = 'Agency', base_plan_tier = 'Agency'
              where id = ${workspaceId}`.execute(trx),
          [() => services.db.transaction().execute((trx) => settlePlan(trx, workspaceId, terms))],
        ),
      );
      expect(settled).toBe('Agency');
    });

    it('gives its last seat to one of two concurrent invitations', async () => {
      const { workspaceId } = await newWorkspace('Personal');
      const invite = (displayName: string) => () =>
        addMember(
          services.db,
          { workspaceId, displayName, email: null, role: 'member' },
          explainNoSeat,
        );
      await invite('Ann')();
      const invitations = await queuedBehindLock(services.db, lockWorkspace(workspaceId), [
        invite('Ben'),
        invite('Cat'),
      ]);
      expect(invitations.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    });
  });

  describe('a Stripe event', () => {
    const newEvent = (workspaceId: string) =>
      stripeEvent.parse(
        eventFixture(
          'customer.subscription.created',
          subscriptionFixture('sub_two', { metadata: { workspace_id: workspaceId } }),
        ),
      );
    const isApplied = async (id: string): Promise<boolean> => {
      const { rows } = await sql`select 1 from stripe_event where id = ${id}`.execute(services.db);
      return rows.length === 1;
    };

    it('is refused while another is applied, and Stripe sends it again', async () => {
      const event = newEvent((await newWorkspace()).workspaceId);
      const lock = (trx: Services['db']) => sql`select pg_advisory_xact_lock(7202614)`.execute(trx);
      await whileLocked(services.db, lock, async () => {
        await expect(applyStripeEvent(services, event)).rejects.toThrow(/lock timeout/);
        expect(await isApplied(event.id)).toBe(false);
      });
      await applyStripeEvent(services, event);
      expect(await isApplied(event.id)).toBe(true);
    });

    it('does not wait for the vector index, which may take hours to build', async () => {
      const event = newEvent((await newWorkspace()).workspaceId);
      await underBuildLock(services.db, NEVER, () => applyStripeEvent(services, event));
      expect(await isApplied(event.id)).toBe(true);
    });
  });

  it('two concurrent awards both count in the total', async () => {
    const holder = await newWorkspace();
    const award = () =>
      awardPoints(
        services,
        { ...holder, action: 'share', source: 'client', sourceId: null },
        () => 1,
      );
    await award();
    const awards = valuesOf(
      await queuedBehindLock(services.db, (trx) => lockAccount(trx, holder), [award, award]),
    );
    expect(awards.map(({ pointsTotal }) => pointsTotal).toSorted((a, b) => a - b)).toEqual([
      50, 75,
    ]);
    const { rows } = await sql`select points from points_account
      where user_id = ${holder.userId}`.execute(services.db);
    expect(rows).toEqual([{ points: 75 }]);
  });

  it('two concurrent first awards both count in the total', async () => {
    const holder = await newWorkspace();
    const award = {
      ...holder,
      action: 'share',
      source: 'client',
      sourceId: null,
    } as const;
    const { pointsTotal } = await afterWaiting(
      services.db,
      async (trx) => {
        await lockAccount(trx, holder);
        await sql`update points_account set points = 25 where user_id = ${holder.userId}`.execute(
          trx,
        );
      },
      () => awardPoints(services, award, () => 1),
    );
    expect(pointsTotal).toBe(50);
  });

  it('two concurrent requests compete for the last place of a minute; another account waits for neither', async () => {
    await using opened = new AsyncDisposableStack();
    const pool = new pg.Pool({ connectionString: stage.databaseUrl });
    opened.defer(() => pool.end());
    const log = openRequestLog({ kind: 'postgres', pool }, () => new Date());
    const take = () => log.take('chat:ann', 1);
    await whileLocked(
      services.db,
      (trx) => sql`select take_request('chat:ann', 1)`.execute(trx),
      async () => expect((await log.take('chat:ben', 1)).allowed).toBe(true),
    );
    const [second, third] = valuesOf(
      await queuedBehindLock(
        services.db,
        (trx) => sql`select take_request('chat:cat', 2)`.execute(trx),
        [() => log.take('chat:cat', 2), () => log.take('chat:cat', 2)],
      ),
    );
    expect(new Set([second?.allowed, third?.allowed])).toEqual(new Set([false, true]));
    expect(await take()).toMatchObject({ allowed: false, used: 1 });
  });

  describe('processes that start at once', () => {
    const keys = () => [stage.encryptionKey];
    it.each([
      [
        'the first workspace',
        7_202_601,
        () => ensureBootstrap(services.db, { bootstrapKey: null }),
      ],
      [
        'the embedding model',
        7_202_602,
        () => assertEmbeddingModel(services.db, services.embedder),
      ],
      [
        'the key ring',
        7_202_612,
        () =>
          assertKeyRing(services.db, {
            keys: keys(),
            secrets: createSecretBox(keys()),
            setting: 'ENCRYPTION_KEY',
          }),
      ],
      [
        'the keys of unsubscribe links',
        7_202_613,
        () => openUnsubscribeKeys(services.db, createSecretBox(keys()), keys()),
      ],
    ] as const)('check %s one after the other', async (_, lock, start) => {
      const settled = await queuedBehindLock<unknown>(
        services.db,
        (trx) => sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(trx),
        [start, start],
      );
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    });

    it('leave the watch over the queues to one of them', async () => {
      const holder = randomUUID();
      await afterWaiting(
        services.db,
        (trx) =>
          sql`insert into watch_duty (name, held_by, held_until, tidied_at)
            values ('queues', ${holder}, now() + interval '1 hour', now())`.execute(trx),
        () => createWatch(services).look(),
      );
      const { rows } = await sql`select held_by from watch_duty`.execute(services.db);
      expect(rows).toEqual([{ held_by: holder }]);
    });

    it('build one vector index: the second one does not wait', async () => {
      const built = await underBuildLock(services.db, NEVER, () =>
        underBuildLock(services.db, NEVER, () => Promise.resolve('built twice')),
      );
      expect(built).toBeNull();
    });
  });

  it('a secret changed while it is resealed keeps the change, and others do not wait', async () => {
    const [fresh, old] = [randomBytes(32), stage.encryptionKey];
    const rotated = { db: services.db, secrets: createSecretBox([fresh, old]) };
    const [credential, other] = await insertCredentials(services, stage.workspaceId, 2);
    const secretOf = async (id: number | undefined): Promise<string | undefined> => {
      const { rows } = await sql<{ secret: string }>`
        select secret from credential where id = ${id}`.execute(services.db);
      return rows[0]?.secret;
    };
    const before = await secretOf(other);
    const changed = services.secrets.seal('changed', `credential:${credential}`);
    await afterWaiting(
      services.db,
      (trx) => sql`update credential set secret = ${changed} where id = ${credential}`.execute(trx),
      () => resealValues(rotated, null),
      async () => expect(await secretOf(other)).not.toBe(before),
    );
    expect(await secretOf(credential)).toBe(changed);
    for (let step = await resealValues(rotated, null); step.next !== null;)
      step = await resealValues(rotated, step.next);
    const opened = createSecretBox([fresh]).open(
      (await secretOf(credential)) ?? '',
      `credential:${credential}`,
    );
    expect(opened).toBe('changed');
  });

  it('a question in a session that is being deleted is refused', async () => {
    const owner = await newWorkspace();
    const now = new Date();
    const { sessionId, rootId } = await services.db
      .transaction()
      .execute((trx) =>
        insertSession(trx, owner, { agentId: null, projectId: null, title: null, now }),
      );
    const place = { sessionId, parentId: rootId, answered: null, history: [] };
    const settings = { agentId: null, projectId: null };
    const turn = askTurn(owner, { place, settings, message: 'Why?', files: [], now });
    const [asked] = valuesOf(
      await queuedBehindLock(
        services.db,
        (trx) =>
          sql`update chat_session set deleted_at = now() where id = ${sessionId}`.execute(trx),
        [() => beginTurns(services.db, [turn])],
      ),
    );
    expect(asked).toMatchObject([{ status: 'rejected' }]);
  });
});
