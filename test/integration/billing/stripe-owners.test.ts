import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyStripeEvent } from '#src/billing/apply-stripe-event.ts';
import { stripeEvent } from '#src/billing/stripe-object.ts';
import {
  eventFixture,
  postEvent,
  sessionFixture,
  START,
  subscriptionFixture,
  WEBHOOK_SECRET,
} from '#test/support/stripe-fixtures.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LOG_LEVEL: 'silent',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

type Json = Record<string, unknown>;

const db = () => millrace.services.db;
const post = async (type: string, object: Json, created = START) => {
  const answer = await postEvent(millrace, eventFixture(type, object, { created }));
  expect(answer.status, answer.text).toBe(200);
};
const free = () => millrace.createWorkspace('Free');
/** Reads the row, because keys are cached with their plan for some seconds. */
const planOf = async (workspaceId: string) => {
  const { rows } = await sql<{ plan: string }>`
    select plan_tier as plan from workspace where id = ${workspaceId}`.execute(
    millrace.services.db,
  );
  return rows[0]?.plan;
};
const ownerOf = async (id: string) =>
  (
    await db()
      .selectFrom('stripe_subscription')
      .select('workspace_id')
      .where('id', '=', id)
      .executeTakeFirst()
  )?.workspace_id;
const payerOf = async (id: string) =>
  await db().selectFrom('stripe_customer').selectAll().where('id', '=', id).executeTakeFirst();
const deletionsOf = async (workspaceId: string) => {
  const rows = await db()
    .selectFrom('webhook_event')
    .selectAll()
    .where('type', '=', 'customer.subscription.deleted')
    .execute();
  return rows
    .filter((row) => row.workspace_id === workspaceId)
    .map(({ payload }) => JSON.parse(payload ?? '').data);
};
/** A checkout paid through a link that names a workspace. */
const linked = (id: string, workspaceId: string, more: Json = {}) =>
  sessionFixture(`cs_${id}`, {
    client_reference_id: workspaceId,
    customer: `cus_${id}`,
    subscription: `sub_${id}`,
    metadata: { plan_tier: 'Pro' },
    ...more,
  });

describe('a subscription', () => {
  it('stays with the workspace it was first linked to', async () => {
    const [victim, thief] = [await free(), await free()];
    await post('checkout.session.completed', linked('kept', victim.workspaceId));
    await post('customer.subscription.created', subscriptionFixture('sub_kept'));
    const metadata = { workspace_id: thief.workspaceId, plan_tier: 'Pro' };
    const stolen = subscriptionFixture('sub_kept', { customer: 'cus_kept', metadata });
    await post('customer.subscription.updated', stolen, START + 1);
    const second = { customer: 'cus_kept', subscription: 'sub_kept', metadata };
    await post('checkout.session.completed', linked('second', thief.workspaceId, second));
    expect(await ownerOf('sub_kept')).toBe(victim.workspaceId);
    expect((await payerOf('cus_kept'))?.workspace_id).toBe(victim.workspaceId);
    expect([await planOf(victim.workspaceId), await planOf(thief.workspaceId)]).toEqual([
      'Pro',
      'Free',
    ]);
  });

  it('of a known customer belongs to that customer’s workspace, whatever the payment link says', async () => {
    const [owner, other] = [await free(), await free()];
    await post('checkout.session.completed', linked('known', owner.workspaceId));
    const again = linked('again', other.workspaceId, { customer: 'cus_known' });
    await post('checkout.session.completed', again);
    expect(await ownerOf('sub_again')).toBe(owner.workspaceId);
    expect(await planOf(other.workspaceId)).toBe('Free');
  });

  it('may belong to another workspace than its customer when the operator says so', async () => {
    const [payer, guest] = [await free(), await free()];
    await post('checkout.session.completed', linked('payer', payer.workspaceId));
    const metadata = { workspace_id: guest.workspaceId };
    const paidFor = subscriptionFixture('sub_guest', { customer: 'cus_payer', metadata });
    await post('customer.subscription.created', paidFor);
    expect(await ownerOf('sub_guest')).toBe(guest.workspaceId);
    expect((await payerOf('cus_payer'))?.workspace_id).toBe(payer.workspaceId);
  });

  it('without an owner is adopted with its customer, and its end is then reported once', async () => {
    const { workspaceId } = await free();
    const ended = subscriptionFixture('sub_orphan', {
      status: 'canceled',
      customer: 'cus_orphan',
      ended_at: START + 86_400,
      canceled_at: START,
    });
    await post('customer.subscription.deleted', ended, START + 86_400);
    expect(await ownerOf('sub_orphan')).toBeNull();
    const session = linked('orphan', workspaceId, { subscription: 'sub_newer' });
    await post('checkout.session.completed', session);
    const expected = {
      subscription_id: 'sub_orphan',
      customer_email: 'buyer@example.com',
      cancellation_reason: 'cancellation_requested',
      effective_date: '2026-01-02T00:00:00.000Z',
    };
    expect(await deletionsOf(workspaceId)).toEqual([expected]);
    const changed = { ...ended, cancellation_details: { reason: 'payment_disputed' } };
    await post('customer.subscription.updated', changed, START + 90_000);
    expect(await deletionsOf(workspaceId)).toEqual([expected]);
    expect(await ownerOf('sub_orphan')).toBe(workspaceId);
    expect(await planOf(workspaceId)).toBe('Pro');
  });

  it('without an owner is adopted with its checkout when the customer is linked', async () => {
    const { workspaceId } = await free();
    const nobody = linked('waiting', workspaceId, { client_reference_id: null });
    await post('checkout.session.completed', nobody);
    const metadata = { workspace_id: workspaceId };
    await post('customer.subscription.created', subscriptionFixture('sub_waiting', { metadata }));
    const checkouts = await db()
      .selectFrom('stripe_checkout')
      .selectAll()
      .where('id', '=', 'cs_waiting')
      .execute();
    expect(checkouts).toMatchObject([{ workspace_id: workspaceId, plan_tier: 'Pro' }]);
    expect(await planOf(workspaceId)).toBe('Pro');
  });
});

describe('a user', () => {
  const userOf = async (key: string): Promise<string> =>
    (await millrace.call('GET', '/auth/verify', undefined, { key })).body.user_id;

  it.each<[string, (userId: string) => Json]>([
    ['the buyer’s link', (userId) => ({ client_reference_id: userId })],
    ['metadata', (user_id) => ({ client_reference_id: null, metadata: { user_id, plan: 'pro' } })],
    [
      'metadata beside an empty workspace',
      (user_id) => ({ metadata: { workspace_id: '', user_id, plan: 'Pro' } }),
    ],
  ])('named by %s of a checkout identifies the workspace', async (_, fields) => {
    const { workspaceId, key } = await free();
    const userId = await userOf(key);
    const id = `user_${workspaceId}`;
    await post('checkout.session.completed', linked(id, '', fields(userId)));
    expect(await ownerOf(`sub_${id}`)).toBe(workspaceId);
    expect(await planOf(workspaceId)).toBe('Pro');
  });

  it('named by the metadata of a subscription identifies the workspace', async () => {
    const { workspaceId, key } = await free();
    const metadata = { user_id: (await userOf(key)).toUpperCase() };
    await post('customer.subscription.created', subscriptionFixture('sub_of_user', { metadata }));
    expect(await ownerOf('sub_of_user')).toBe(workspaceId);
    expect(await planOf(workspaceId)).toBe('Pro');
  });

  it('yields to the workspace named by the metadata', async () => {
    const [owner, other] = [await free(), await free()];
    const metadata = { workspace_id: owner.workspaceId, user_id: await userOf(other.key) };
    await post('customer.subscription.created', subscriptionFixture('sub_both', { metadata }));
    expect(await ownerOf('sub_both')).toBe(owner.workspaceId);
  });
});

describe('a paid checkout', () => {
  /** The log lines that it causes. */
  const logged = async (session: Json) => {
    const lines: Json[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const event = stripeEvent.parse(eventFixture('checkout.session.completed', session));
    await applyStripeEvent({ ...millrace.services, log }, event);
    expect(JSON.stringify(lines)).not.toContain('buyer@');
    return lines;
  };

  it('without a workspace is logged with its ids', async () => {
    expect(await logged(linked('nobody', 'nobody'))).toMatchObject([
      {
        level: 40,
        checkoutId: 'cs_nobody',
        subscriptionId: 'sub_nobody',
        msg: expect.stringContaining('no workspace'),
      },
    ]);
  });

  it('without a plan is logged with its ids, unless its subscription has named one', async () => {
    const { workspaceId } = await free();
    const silent = (id: string) => linked(id, workspaceId, { metadata: {} });
    expect(await logged(silent('planless'))).toMatchObject([
      { level: 40, workspaceId, checkoutId: 'cs_planless', msg: expect.stringContaining('plan') },
    ]);
    await post('customer.subscription.created', subscriptionFixture('sub_named'));
    expect(await logged(silent('named'))).toEqual([]);
  });

  it('is not logged when everything is known, nor while it is unpaid', async () => {
    const { workspaceId } = await free();
    expect(await logged(linked('known_all', workspaceId))).toEqual([]);
    const unpaid = { payment_status: 'unpaid', metadata: {} };
    expect(await logged(linked('unpaid_yet', 'nobody', unpaid))).toEqual([]);
  });
});

describe('the end of a subscription', () => {
  it('takes the plan away and is reported with its reason', async () => {
    const { workspaceId } = await free();
    await post('checkout.session.completed', linked('over', workspaceId));
    await post('customer.subscription.created', subscriptionFixture('sub_over'));
    expect(await planOf(workspaceId)).toBe('Pro');
    const over = {
      status: 'canceled',
      ended_at: START + 100,
      cancellation_details: { reason: 'payment_failed' },
    };
    await post('customer.subscription.deleted', subscriptionFixture('sub_over', over), START + 100);
    expect(await planOf(workspaceId)).toBe('Free');
    expect(await deletionsOf(workspaceId)).toMatchObject([
      { cancellation_reason: 'payment_failed', effective_date: '2026-01-01T00:01:40.000Z' },
    ]);
  });

  it.each([
    ['unpaid', 'Free'],
    ['paused', 'Free'],
    ['incomplete', 'Free'],
    ['trialing', 'Pro'],
    ['invented_tomorrow', 'Free'],
  ])('is not the only way to lose a plan: %s means %s', async (status, plan) => {
    const { workspaceId } = await free();
    const metadata = { workspace_id: workspaceId };
    const fields = { status, metadata };
    await post('customer.subscription.updated', subscriptionFixture(`sub_${status}`, fields));
    expect(await planOf(workspaceId)).toBe(plan);
  });
});

describe('the e-mail of a customer', () => {
  it('is the newest one that Stripe sent, and is deleted with the customer', async () => {
    const { workspaceId } = await free();
    await post('checkout.session.completed', linked('mail', workspaceId));
    expect((await payerOf('cus_mail'))?.email).toBe('buyer@example.com');
    const customer = (email: string) => ({ id: 'cus_mail', object: 'customer', email });
    await post('customer.updated', customer('newer@example.com'), START + 20);
    await post('customer.updated', customer('older@example.com'), START + 10);
    expect((await payerOf('cus_mail'))?.email).toBe('newer@example.com');
    await post('customer.deleted', customer('newer@example.com'), START + 30);
    expect((await payerOf('cus_mail'))?.email).toBeNull();
  });
});
