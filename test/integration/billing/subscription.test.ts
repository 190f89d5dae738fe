// @module-tag smoke
// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '#src/billing/plans.ts';
import { setPlan } from '#src/billing/set-plan.ts';
import { settleLapsedPlans, settlePlan } from '#src/billing/settle-plan.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { type PlanTier, PLAN_TIERS, type Role } from '#src/tables/accounts.ts';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let db: Database;

beforeAll(async () => {
  millrace = await startTestMillrace();
  ({ db } = millrace.services);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const terms = () => ({ now: new Date(), graceDays: 7 });
const statusOf = (key: string) => millrace.call('GET', '/subscription/status', undefined, { key });

/** A workspace as stored in the database. */
async function workspaceOn(planTier: PlanTier) {
  const made = await millrace.createWorkspace(planTier);
  // the API gives the id as text
  return { key: made.key, id: made.workspaceId as WorkspaceId };
}

async function planIn(id: WorkspaceId): Promise<[PlanTier, PlanTier]> {
  const row = await db
    .selectFrom('workspace')
    .select(['plan_tier', 'base_plan_tier'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return [row.plan_tier, row.base_plan_tier];
}

interface Subscription {
  status: string | null;
  plan?: PlanTier | null;
  lateSince?: Date | null;
  id?: string;
  owner?: WorkspaceId | null;
}

async function subscribe(
  workspace: WorkspaceId,
  { status, plan = 'Pro', lateSince = null, id = `sub_${randomUUID()}`, owner }: Subscription,
): Promise<string> {
  await sql`insert into stripe_subscription (id, workspace_id, status, plan_tier, past_due_since,
      amount_monthly, currency, current_period_end)
    values (${id}, ${owner === undefined ? workspace : owner}, ${status}, ${plan}, ${lateSince},
      4900, 'eur', '2031-01-01T00:00:00Z')`.execute(db);
  return id;
}

async function payCheckout(workspace: WorkspaceId, subscriptionId: string | null, plan: PlanTier) {
  await sql`insert into stripe_checkout (id, workspace_id, subscription_id, plan_tier, paid_at)
    values (${`cs_${randomUUID()}`}, ${workspace}, ${subscriptionId}, ${plan}, now())`.execute(db);
}

const settle = (id: WorkspaceId) => db.transaction().execute((trx) => settlePlan(trx, id, terms()));

describe('the subscription status', () => {
  it('of the first workspace is Enterprise, and every role may read it', async () => {
    for (const role of ['admin', 'member', 'ingest', 'read'] satisfies Role[]) {
      const { key } = await createKey(millrace, millrace.adminKey, role);
      const { status, body } = await statusOf(key);
      expect([status, body], role).toEqual([
        200,
        {
          plan_tier: 'Enterprise',
          status: 'active',
          renewal_date: expect.any(String),
          amount_monthly: 0,
          currency: 'usd',
          trial_active: false,
          features: {
            users: UNLIMITED,
            storage_gb: UNLIMITED,
            email_accounts: UNLIMITED,
            custom_domain: true,
            api_access: true,
          },
        },
      ]);
    }
  });

  it.each([
    ['Free', 0, 1, 0],
    ['Personal', 2_900, 3, 3],
    ['Pro', 5_900, 10, 10],
    ['Agency', 14_900, 50, 50],
  ] as const)(
    'of %s has its price, seats and e-mail accounts',
    async (tier, price, users, mail) => {
      const { key } = await workspaceOn(tier);
      const { body } = await statusOf(key);
      expect(body).toMatchObject({
        plan_tier: tier,
        amount_monthly: price,
        features: { users, email_accounts: mail, api_access: true },
      });
      const days = (Date.parse(body.renewal_date) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(27);
      expect(days).toBeLessThanOrEqual(31);
    },
  );

  it('shows a trial, then a late payment, then the cancellation', async () => {
    const { id, key } = await workspaceOn('Free');
    const subscription = await subscribe(id, { status: 'trialing' });
    expect(await settle(id)).toBe('Pro');
    expect((await statusOf(key)).body).toMatchObject({
      plan_tier: 'Pro',
      status: 'trialing',
      trial_active: true,
      amount_monthly: 4_900,
      currency: 'eur',
      renewal_date: '2031-01-01T00:00:00.000Z',
      features: { users: 10 },
    });
    await sql`update stripe_subscription set status = 'past_due', past_due_since = now()
      where id = ${subscription}`.execute(db);
    expect(await settle(id)).toBe('Pro');
    expect((await statusOf(key)).body).toMatchObject({ plan_tier: 'Pro', status: 'past_due' });
    await sql`update stripe_subscription set status = 'canceled' where id = ${subscription}`.execute(
      db,
    );
    expect(await settle(id)).toBe('Free');
    expect((await statusOf(key)).body).toMatchObject({
      plan_tier: 'Free',
      status: 'canceled',
      trial_active: false,
      amount_monthly: 0,
      features: { users: 1 },
    });
  });

  it('is told beside what is in use of it, by the workspace alone', async () => {
    const own = await workspaceOn('Pro');
    const other = await workspaceOn('Pro');
    const usageOf = async (key: string) =>
      (await millrace.call('GET', '/subscription/usage', undefined, { key })).body;
    const text = 'Twenty-four letters long';
    await millrace.call(
      'POST',
      '/service-api/ingestion',
      { document: { semantic_identifier: 'One', sections: [{ text }] } },
      { key: own.key },
    );
    const account = { email: 'ann@gmail.com', smtp_password: 'a password' };
    await millrace.call('POST', '/email-accounts', account, { key: own.key });
    const { storage_bytes: bytes, ...counts } = await usageOf(own.key);
    expect(counts).toEqual({ users: 1, email_accounts: 1, card_payments: false });
    expect(bytes).toBeGreaterThanOrEqual(text.length);
    expect(await usageOf(other.key)).toMatchObject({ email_accounts: 0, storage_bytes: 0 });
  });

  it('shows nothing of other subscriptions', async () => {
    const a = await workspaceOn('Free');
    const b = await workspaceOn('Free');
    await subscribe(a.id, { status: 'active', plan: 'Agency' });
    await Promise.all([settle(a.id), settle(b.id)]);
    expect((await statusOf(a.key)).body.plan_tier).toBe('Agency');
    expect((await statusOf(b.key)).body).toMatchObject({ plan_tier: 'Free', status: 'active' });
  });
});

describe('settling a plan', () => {
  it('does not lower a plan that an operator has set higher', async () => {
    const { id } = await workspaceOn('Enterprise');
    const subscription = await subscribe(id, { status: 'active', plan: 'Personal' });
    expect(await settle(id)).toBe('Enterprise');
    await sql`update stripe_subscription set status = 'canceled' where id = ${subscription}`.execute(
      db,
    );
    expect(await settle(id)).toBe('Enterprise');
  });

  it('counts a single payment for a month, and a paid checkout until its subscription is known', async () => {
    const { id } = await workspaceOn('Free');
    await payCheckout(id, null, 'Personal');
    expect(await settle(id)).toBe('Personal');
    await sql`update stripe_checkout set paid_at = now() - interval '32 days'
      where workspace_id = ${id}`.execute(db);
    expect(await settle(id)).toBe('Free');
    const subscription = `sub_${randomUUID()}`;
    await payCheckout(id, subscription, 'Pro');
    expect(await settle(id)).toBe('Pro');
    // This event arrived before the owner was known.
    await subscribe(id, { id: subscription, owner: null, status: 'active', plan: 'Agency' });
    expect(await settle(id)).toBe('Agency');
    await sql`update stripe_subscription set status = 'canceled' where id = ${subscription}`.execute(
      db,
    );
    expect(await settle(id)).toBe('Free');
  });

  it('gives nothing for a subscription that now belongs to another workspace', async () => {
    const a = await workspaceOn('Free');
    const b = await workspaceOn('Free');
    const subscription = await subscribe(a.id, { status: 'active', plan: 'Pro' });
    await payCheckout(b.id, subscription, 'Pro');
    expect([await settle(a.id), await settle(b.id)]).toEqual(['Pro', 'Free']);
  });

  it('updates plan_since only when the plan changes', async () => {
    const { id } = await workspaceOn('Free');
    const long = '2020-01-31T10:00:00.000Z';
    await sql`update workspace set plan_since = ${long} where id = ${id}`.execute(db);
    const since = async () =>
      (
        await db
          .selectFrom('workspace')
          .select('plan_since')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).plan_since.toISOString();
    await settle(id);
    expect(await since()).toBe(long);
    await subscribe(id, { status: 'active' });
    await settle(id);
    expect(await since()).not.toBe(long);
  });

  it('ends a plan only after the grace period for a missed payment', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const over = await workspaceOn('Free');
    const within = await workspaceOn('Free');
    const better = await workspaceOn('Free');
    for (const { id } of [over, within, better]) {
      await subscribe(id, { status: 'past_due', lateSince: daysAgo(6) });
    }
    await subscribe(better.id, { status: 'active', plan: 'Personal' });
    for (const { id } of [over, within, better]) await settle(id);
    await sql`update stripe_subscription set past_due_since = ${daysAgo(8)}
      where workspace_id in (${over.id}, ${better.id}) and status = 'past_due'`.execute(db);
    expect(await settleLapsedPlans(db, terms())).toBe(2);
    expect((await planIn(over.id))[0]).toBe('Free');
    expect((await planIn(within.id))[0]).toBe('Pro');
    expect((await planIn(better.id))[0]).toBe('Personal');
    expect(await settleLapsedPlans(db, terms())).toBe(0);
  });

  it('gives one result when an operator and subscriptions change the plan concurrently', async () => {
    const { id } = await workspaceOn('Free');
    const subscriptions = await Promise.all(
      Array.from({ length: 8 }, () => subscribe(id, { status: 'active', plan: 'Agency' })),
    );
    await Promise.all([
      ...subscriptions.map((one) =>
        db.transaction().execute(async (trx) => {
          await sql`update stripe_subscription set status = 'canceled' where id = ${one}`.execute(
            trx,
          );
          await settlePlan(trx, id, terms());
        }),
      ),
      ...PLAN_TIERS.slice(0, 3).map((planTier) =>
        setPlan(db, { workspaceId: id, planTier, ...terms() }),
      ),
    ]);
    const [plan, base] = await planIn(id);
    expect(plan).toBe(base);
  });
});
