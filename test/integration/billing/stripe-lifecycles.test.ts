import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertWorkspace } from '#src/accounts/workspaces.ts';
import { applyStripeEvent } from '#src/billing/apply-stripe-event.ts';
import { dateOf, stripeEvent } from '#src/billing/stripe-object.ts';
import {
  type EventFixture,
  eventFixture,
  lifeOf,
  sessionFixture,
  START,
} from '#test/support/stripe-fixtures.ts';
import { type Lifecycle, LIFECYCLES } from '#test/support/stripe-lifecycles.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const SEED = 20_260_801;
const ORDERS = 4;

let millrace: TestMillrace;
let lived = 0;

beforeAll(async () => {
  millrace = await startTestMillrace({ STRIPE_WEBHOOK_SECRET: 'whsec_unused' });
});
afterAll(() => millrace[Symbol.asyncDispose]());

/** How Stripe tells us which workspace a subscription belongs to. */
type Link = 'the checkout' | 'metadata' | 'both';

interface Outcome {
  subscription: Record<string, unknown>;
  plan: string | undefined;
  webhooks: string[];
}

/** Plays a subscription's life in a new workspace, with the events in the order that `arrange` returns. */
async function playLifecycle(
  life: Lifecycle,
  link: Link,
  arrange: (events: EventFixture[]) => EventFixture[],
): Promise<Outcome> {
  lived += 1;
  const id = `sub_${lived}`;
  const { db } = millrace.services;
  const { workspaceId } = await db
    .transaction()
    .execute((trx) => insertWorkspace(trx, { name: id, planTier: 'Free', isBootstrap: false }));
  const metadata = link === 'the checkout' ? {} : { workspace_id: workspaceId };
  const session = (payment_status: string) =>
    sessionFixture(`cs_${lived}`, {
      subscription: id,
      customer: `cus_${id}`,
      client_reference_id: link === 'metadata' ? null : workspaceId,
      metadata: link === 'metadata' ? { ...metadata, plan_tier: 'Pro' } : { plan_tier: 'Pro' },
      payment_status,
    });
  const events = [
    eventFixture('checkout.session.completed', session('unpaid')),
    eventFixture('checkout.session.async_payment_succeeded', session('paid'), {
      created: START + 5,
    }),
    ...lifeOf(id, { ...life.base, metadata }, life.steps),
    eventFixture('invoice.paid', {
      subscription: id,
      customer: `cus_${id}`,
      customer_email: 'buyer@example.com',
    }),
  ];
  for (const event of arrange(events)) {
    const own = { ...event, id: `${event.id}_${lived}` };
    await applyStripeEvent(millrace.services, stripeEvent.parse(own));
  }
  return outcomeOf(id, workspaceId, link);
}

async function outcomeOf(id: string, workspaceId: string, link: Link): Promise<Outcome> {
  const { db } = millrace.services;
  const {
    last_event: _,
    created_at: _created,
    updated_at: _updated,
    ...row
  } = await db
    .selectFrom('stripe_subscription')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.workspace_id).toBe(workspaceId);
  const workspace = await db
    .selectFrom('workspace')
    .select('plan_tier')
    .where('id', '=', row.workspace_id)
    .executeTakeFirst();
  const events = await db
    .selectFrom('webhook_event')
    .select(['type', 'payload'])
    .where('workspace_id', '=', row.workspace_id)
    .execute();
  // When the metadata name the workspace, a subscription may end before any event has brought an e-mail address.
  const masked = link === 'the checkout' ? /(?!)/ : /"customer_email":"[^"]*"/;
  const webhooks = events
    .map(({ type, payload }) => `${type} ${JSON.stringify(JSON.parse(payload ?? '{}').data)}`)
    .map((text) =>
      text.replaceAll(id, 'ID').replaceAll(id.replace('sub', 'cs'), 'CS').replace(masked, ''),
    )
    .toSorted();
  return {
    subscription: {
      ...row,
      id: 'ID',
      customer_id: row.customer_id?.replace(id, 'ID'),
      workspace_id: null,
    },
    plan: workspace?.plan_tier,
    webhooks,
  };
}

describe('the events of a subscription', () => {
  const cases = Object.entries(LIFECYCLES).flatMap(([name, life]) =>
    (['the checkout', 'metadata', 'both'] as const).map((link) => ({ name, life, link })),
  );

  it.each(cases)(
    'of $name, linked by $link, end alike in every order and with duplicates',
    async ({ life, link }) => {
      const right = await playLifecycle(life, link, (events) => events);
      expect(right.plan).toBe(life.end.planTier);
      expect(right.subscription['status']).toBe(life.end.status);
      if (life.end.status === 'past_due') {
        const since = right.subscription['past_due_since'];
        expect(since).toEqual(dateOf(life.end.pastDueSince ?? null));
      }
      const isDeleted = life.steps.some(({ kind }) => kind === 'deleted');
      expect(right.webhooks.map((text) => text.split(' ')[0])).toEqual([
        'checkout.session.completed',
        ...(isDeleted ? ['customer.subscription.deleted'] : []),
      ]);
      const count = life.steps.length + 3;
      const disorder = fc.record({
        ranks: fc.array(fc.nat(1_000_000), { minLength: count, maxLength: count }),
        repeated: fc.array(fc.nat(count - 1), { maxLength: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(disorder, async ({ ranks, repeated }) => {
          const outcome = await playLifecycle(life, link, (events) => {
            const shuffled = events
              .map((event, n) => ({ event, rank: ranks[n] ?? 0 }))
              .toSorted((a, b) => a.rank - b.rank)
              .map(({ event }) => event);
            return [
              ...shuffled,
              ...repeated.map((n) => shuffled[n]).filter((one) => one !== undefined),
            ];
          });
          expect(outcome).toEqual(right);
        }),
        { seed: SEED, numRuns: ORDERS },
      );
    },
  );
});
