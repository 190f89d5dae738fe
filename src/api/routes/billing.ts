import { z } from 'zod';
import { ROUTE_LIMIT } from '#src/api/read-body.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { receiveStripeEvent, webhookSecrets } from '#src/billing/apply-stripe-event.ts';
import { createCheckout, SOLD_TIERS } from '#src/billing/create-checkout.ts';
import { createPortal } from '#src/billing/create-portal.ts';

const BILLING = { tag: 'Billing', family: 'reference' } as const;
const MAX_EVENT_BYTES = 1_000_000;

const page = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .max(2_000)
  .nullish();

export const billingRoutes: Route[] = [
  defineRoute({
    ...BILLING,
    scope: 'public',
    method: 'POST',
    path: '/billing/stripe/webhook',
    summary: 'Take an event of Stripe',
    description:
      'For Stripe alone, which signs each request (Stripe-Signature) with STRIPE_WEBHOOK_SECRET. An event counts once, in whatever order it comes; types that mean nothing here are taken and left.',
    rawBody: true,
    requestHeaders: [
      { name: 'Stripe-Signature', description: 'How Stripe signs the body.', required: true },
    ],
    body: z.looseObject({ id: z.string(), type: z.string() }),
    reply: z.object({ received: z.literal(true) }),
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ services, incoming, headers, requestId }) {
      webhookSecrets(services.config); // without one, the body need not be read
      const payload = await incoming.bytes(MAX_EVENT_BYTES, ROUTE_LIMIT);
      const header = headers['stripe-signature'];
      const signature = Array.isArray(header) ? header[0] : header;
      await receiveStripeEvent(services, { payload, signature, requestId });
      return { received: true as const };
    },
  }),
  defineRoute({
    ...BILLING,
    scope: 'admin',
    method: 'POST',
    path: '/billing/checkout',
    summary: 'Begin a subscription: a page of Stripe on which it is paid for',
    description:
      'Needs STRIPE_SECRET_KEY, and at Stripe a recurring price whose lookup_key is the plan in lower case (pro, pro_monthly). The plan changes when Stripe tells that it is paid for. Without PUBLIC_URL both URLs are needed.',
    body: z.object({ plan_tier: z.enum(SOLD_TIERS), success_url: page, cancel_url: page }),
    reply: z.object({ session_id: z.string(), url: z.string() }),
    errors: ['CONFLICT', 'BAD_GATEWAY'],
    async handle({ services, principal, body }) {
      const { sessionId, url } = await createCheckout(services, {
        workspaceId: principal.workspaceId,
        planTier: body.plan_tier,
        successUrl: body.success_url ?? null,
        cancelUrl: body.cancel_url ?? null,
      });
      return { session_id: sessionId, url };
    },
  }),
  defineRoute({
    ...BILLING,
    scope: 'admin',
    method: 'POST',
    path: '/billing/portal',
    summary: 'Change or end the subscription: a page of Stripe',
    body: z.object({ return_url: page }).optional(),
    reply: z.object({ url: z.string() }),
    errors: ['CONFLICT', 'BAD_GATEWAY'],
    handle: ({ services, principal, body }) =>
      createPortal(services, {
        workspaceId: principal.workspaceId,
        returnUrl: body?.return_url ?? null,
      }),
  }),
];
