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

/** Stripe events are applied one at a time: they are few, and they may touch the same rows. */
const STRIPE_LOCK = 7_202_614;

type EventServices = Pick<BillingServices, 'db' | 'config' | 'clock' | 'log' | 'producer'>;

/**
 * Receives a webhook request from Stripe: verifies its signature and applies its event.
 * @throws Problem NOT_FOUND without `STRIPE_WEBHOOK_SECRET`, BAD_REQUEST for a request that Stripe has not signed or
 * that is not an event
 */
export async function receiveStripeEvent(
  services: EventServices,
  request: { payload: Buffer; signature: string | undefined; requestId: string },
): Promise<void> {
  const secrets = webhookSecrets(services.config);
  const signed = { ...request, receivedAt: services.clock() };
  const event = readStripeEvent(await openSignedEvent(signed, secrets), request.signature);
  await applyStripeEvent(services, event, request.requestId);
}

/**
 * Several secrets, separated by commas, during a rotation.
 * @throws Problem NOT_FOUND when there is none
 */
export function webhookSecrets(
  config: Pick<EventServices['config'], 'STRIPE_WEBHOOK_SECRET'>,
): string[] {
  const secrets = (config.STRIPE_WEBHOOK_SECRET ?? '').split(',').map((one) => one.trim());
  const set = secrets.filter((one) => one !== '');
  if (set.length > 0) return set;
  throw new Problem(
    'NOT_FOUND',
    'This service accepts no events from Stripe: STRIPE_WEBHOOK_SECRET is not set. Set it to the signing secret of the endpoint in the Stripe dashboard.',
  );
}

/**
 * Applies an event once: its changes, the resulting plan and the webhooks about them are one transaction. Neither the
 * order nor the repetition of a subscription's events affects the final state.
 * @throws Problem SERVICE_UNAVAILABLE when Stripe should send it again
 */
export async function applyStripeEvent(
  services: EventServices,
  event: StripeEvent,
  requestId: string | null = null,
): Promise<void> {
  const { db, config, clock, log } = services;
  if (await isApplied(db, event.id)) return;
  const stripe = await openStripe(config);
  const { change, email } = await completeChange(services, stripe, event, readChange(event));
  const toDeliver = await db.transaction().execute(async (trx) => {
    // A waiting request holds a connection; Stripe resends a failed event.
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

/** Saves queries to Stripe for a known event; the insert in the transaction is what decides. */
async function isApplied(db: Database, eventId: string): Promise<boolean> {
  const row = await db
    .selectFrom('stripe_event')
    .select('id')
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row !== undefined;
}

/** False when it was already applied. */
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
