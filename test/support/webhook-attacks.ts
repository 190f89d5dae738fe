import {
  encodeDeliveryCursor,
  encodeEventCursor,
} from '#src/webhooks/administration/lookup-query.ts';
import type { AttackValues } from './connector-attacks.ts';
import type { SeededWorkspace } from './seed-workspace.ts';
import { eventFixture, signatureOf, subscriptionFixture } from './stripe-fixtures.ts';

/** A URL that passes every check; what is saved with it here is disabled, and nothing is sent. */
const STOLEN_URL = 'https://93.184.216.34/stolen';
const PAGES = { success_url: 'https://shop.test/done', cancel_url: 'https://shop.test/back' };
const AN_HOUR_MS = 3_600_000;

/** Requests of B that target A's webhooks, members, plan, payments and points. */
export function webhookAttacks(a: SeededWorkspace): AttackValues {
  const endpointOfA = { id: a.endpointId };
  const eventOfA = { id: a.eventId };
  const deliveryOfA = { id: String(a.deliveryId) };
  const cancellation = cancellationOf(a);
  return {
    paths: {
      'GET /webhook-endpoints/{id}': endpointOfA,
      'PATCH /webhook-endpoints/{id}': endpointOfA,
      'DELETE /webhook-endpoints/{id}': endpointOfA,
      'POST /webhook-endpoints/{id}/rotate-secret': endpointOfA,
      'POST /webhook-endpoints/{id}/test': endpointOfA,
      'POST /webhook-endpoints/{id}/recover': endpointOfA,
      'GET /webhook-events/{id}': eventOfA,
      'DELETE /webhook-events/{id}/payload': eventOfA,
      'GET /webhook-deliveries/{id}': deliveryOfA,
      'GET /webhook-deliveries/{id}/attempts': deliveryOfA,
      'POST /webhook-deliveries/{id}/resend': deliveryOfA,
      'DELETE /account/members/{id}': { id: a.memberId },
      'PUT /manage/admin/workspaces/{id}/plan': { id: a.workspaceId },
    },
    queries: queriesAt(a),
    bodies: { ...webhookBodiesAt(a), ...accountBodiesAt(a), [STRIPE_WEBHOOK]: [cancellation] },
    headers: {
      'POST /gamification/action': { 'Idempotency-Key': a.idempotencyKey },
      [STRIPE_WEBHOOK]: {
        'Stripe-Signature': signatureOf(JSON.stringify(cancellation), 'whsec_of_a_stranger'),
      },
    },
  };
}

/** Including cursors: one after everything of A, and one at it. */
function queriesAt(a: SeededWorkspace): AttackValues['queries'] {
  const afterAll = encodeEventCursor({
    createdAtMicros: '9'.repeat(16),
    id: `evt_${'f'.repeat(32)}`,
  });
  const atEvent = encodeEventCursor({
    createdAtMicros: `${Date.now() + AN_HOUR_MS}000`,
    id: a.eventId,
  });
  return {
    'GET /webhook-events': [
      '',
      '?limit=200',
      '?type=lead_scrape.completed',
      `?cursor=${afterAll}`,
      `?cursor=${atEvent}`,
    ],
    'GET /webhook-deliveries': [
      '',
      `?endpoint_id=${a.endpointId}`,
      `?event_id=${a.eventId}`,
      `?endpoint_id=${a.endpointId}&event_id=${a.eventId}&status=waiting&limit=200`,
      '?event_type=lead_scrape.completed&limit=200',
      `?cursor=${encodeDeliveryCursor(a.deliveryId + 1)}`,
    ],
    'GET /manage/admin/workspaces': ['', '?limit=1000', '?limit=1&offset=1'],
  };
}

function webhookBodiesAt(a: SeededWorkspace): AttackValues['bodies'] {
  const since = new Date(Date.now() - AN_HOUR_MS).toISOString();
  return {
    'POST /webhook-endpoints': [
      { url: STOLEN_URL, enabled: false },
      { url: STOLEN_URL, enabled: false, id: a.endpointId, workspace_id: a.workspaceId },
    ],
    'PATCH /webhook-endpoints/{id}': [
      { url: STOLEN_URL },
      { enabled: false },
      { enabled: true, description: 'Taken', event_types: ['ping'] },
    ],
    'POST /webhook-endpoints/{id}/rotate-secret': [undefined, { grace_period_seconds: 0 }],
    'POST /webhook-endpoints/{id}/test': [undefined, {}],
    'POST /webhook-endpoints/{id}/recover': [{ since }, { since, dry_run: true }],
    'POST /webhook-deliveries/{id}/resend': [undefined, {}],
  };
}

function accountBodiesAt(a: SeededWorkspace): AttackValues['bodies'] {
  const aimed = { user_id: a.memberId, workspace_id: a.workspaceId };
  const payer = { customer: a.customerId, client_reference_id: a.workspaceId };
  return {
    'PATCH /account': [{ ...aimed, display_name: 'Taken', time_zone: 'Asia/Tokyo' }],
    'PATCH /account/workspace': [{ ...aimed, id: a.workspaceId, name: 'Taken' }],
    'POST /account/members': [
      { ...aimed, display_name: 'Mine', role: 'admin', email: a.memberEmail },
    ],
    'PUT /manage/admin/workspaces/{id}/plan': [{ plan_tier: 'Free' }],
    'POST /billing/checkout': [{ ...aimed, ...payer, ...PAGES, plan_tier: 'Pro' }],
    'POST /billing/portal': [{ ...aimed, ...payer, return_url: PAGES.success_url }],
    'POST /gamification/action': [{ ...aimed, action_type: 'share', context: aimed }],
  };
}

const STRIPE_WEBHOOK = 'POST /billing/stripe/webhook';

/** The event that Stripe would send if A had canceled. */
function cancellationOf(a: SeededWorkspace): unknown {
  const subscription = subscriptionFixture(a.subscriptionId, {
    status: 'canceled',
    customer: a.customerId,
    metadata: { workspace_id: a.workspaceId },
  });
  return eventFixture('customer.subscription.deleted', subscription);
}
