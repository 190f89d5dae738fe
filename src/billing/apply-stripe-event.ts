import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { BillingServices } from './billing-services.ts';
import { emitEvents, sendDeliveries } from '#src/webhooks/emit-event.ts';
import { applyStripeCheckout } from './apply-stripe-checkout.ts';
import { readStripeEvent } from './read-stripe-event.ts';
import { settlePlan } from './settle-plan.ts';
import { claimIn, readChange, type StripeChange } from './stripe-change.ts';
import { openSignedEvent, openStripe } from './stripe-client.ts';
import { saveEmail } from './stripe-customer-rows.ts';
import { completeChange } from './stripe-lookup.ts';
import type { StripeRun } from './stripe-links.ts';
import { dateOf, type StripeEvent } from './stripe-object.ts';
import { eventsOf } from './stripe-outgoing.ts';
import { snapshotOf } from './stripe-snapshot.ts';
import { updateSubscription } from './stripe-subscription-rows.ts';

/** Events of Stripe are applied one at a time: they are few, and each may touch what another is about. */
const STRIPE_LOCK = 7_202_614;

type EventServices = Pick<BillingServices, 'db' | 'config' | 'clock' | 'log' | 'producer'>;

/**
 * Takes in a request of Stripe: checks who signed it, and applies its event.
 * @throws Problem NOT_FOUND without `STRIPE_WEBHOOK_SECRET`, BAD_REQUEST for what Stripe has not signed or is no event
 */
export async function receiveStripeEvent(
  services: EventServices,
  request: { payload: Buffer; signature: string | undefined; requestId: string },
): Promise<void> {
  const secrets = webhookSecrets(services.config);
  const signed = { ...request, receivedAt: services.clock() };
  const event = readStripeEvent(openSignedEvent(signed, secrets), request.signature);
  await applyStripeEvent(services, event, request.requestId);
}

/** Several, parted by commas, while a secret is rolled. @throws Problem NOT_FOUND when there is none */
export function webhookSecrets(
  config: Pick<EventServices['config'], 'STRIPE_WEBHOOK_SECRET'>,
): string[] {
  const secrets = (config.STRIPE_WEBHOOK_SECRET ?? '').split(',').map((one) => one.trim());
  const set = secrets.filter((one) => one !== '');
  if (set.length > 0) return set;
  throw new Problem(
    'NOT_FOUND',
    'This service takes no events of Stripe: STRIPE_WEBHOOK_SECRET is not set. Set it to the signing secret of the endpoint in the Stripe dashboard.',
  );
}

/**
 * Applies an event once: what it changes, the plan that follows and the webhooks that tell of it are one transaction.
 * In whatever order the events of a subscription come, and however often, the end is the same.
 * @throws Problem SERVICE_UNAVAILABLE when it should be sent again
 */
export async function applyStripeEvent(
  services: EventServices,
  event: StripeEvent,
  requestId: string | null = null,
): Promise<void> {
  const { db, config, clock, log } = services;
  if (await isApplied(db, event.id)) return;
  const stripe = openStripe(config);
  const { change, email } = await completeChange(services, stripe, event, readChange(event));
  const toDeliver = await db.transaction().execute(async (trx) => {
    // Whoever waits holds a connection; Stripe sends again what is refused.
    await sql`set local lock_timeout = '2s'`.execute(trx);
    await sql`select pg_advisory_xact_lock(${STRIPE_LOCK})`.execute(trx);
    if (!(await record(trx, event))) return [];
    const run = openRun(trx, { log, now: clock(), eventId: event.id });
    await applyChange(run, event, change, email);
    const terms = { now: run.now, graceDays: config.PAYMENT_GRACE_DAYS };
    for (const workspaceId of run.workspaces) await settlePlan(trx, workspaceId, terms);
    await noteWorkspace(run);
    return emitEvents(trx, await eventsOf(run));
  });
  await sendDeliveries(services, toDeliver, { requestId });
}

async function applyChange(
  run: StripeRun,
  event: StripeEvent,
  change: StripeChange,
  email: string | null,
): Promise<void> {
  switch (change.kind) {
    case 'subscription': {
      const { subscription } = change;
      const snapshot = snapshotOf(event, subscription);
      if (snapshot === null) return;
      const claim = claimIn(subscription.metadata);
      await updateSubscription(run, subscription.id, { snapshot, claim, email });
      return;
    }
    case 'checkout':
      await applyStripeCheckout(run, change.checkout);
      return;
    case 'invoice': {
      const { subscriptionId, customerId, email: payer, payment } = change;
      await updateSubscription(run, subscriptionId, { customerId, email: payer, payment });
      return;
    }
    case 'customer':
      await saveEmail(run, event, change);
      return;
    case 'nothing':
      return;
  }
}

function openRun(
  trx: DatabaseTransaction,
  given: Pick<StripeRun, 'log' | 'now' | 'eventId'>,
): StripeRun {
  return {
    trx,
    ...given,
    workspaces: new Set(),
    completedCheckouts: new Set(),
    deletedSubscriptions: new Set(),
  };
}

/** Saves asking Stripe for what is known; the insert in the transaction is what decides. */
async function isApplied(db: Database, eventId: string): Promise<boolean> {
  const row = await db
    .selectFrom('stripe_event')
    .select('id')
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row !== undefined;
}

/** False when it has been applied before. */
async function record(trx: DatabaseTransaction, { id, type, created }: StripeEvent) {
  const made = await trx
    .insertInto('stripe_event')
    .values({ id, type, workspace_id: null, created_at: dateOf(created) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

async function noteWorkspace({ trx, eventId, workspaces }: StripeRun): Promise<void> {
  const [workspaceId] = workspaces;
  if (workspaceId === undefined) return;
  await trx
    .updateTable('stripe_event')
    .set({ workspace_id: workspaceId })
    .where('id', '=', eventId)
    .execute();
}
