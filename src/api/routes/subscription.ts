import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { UNLIMITED } from '#src/billing/plans.ts';
import { readSubscriptionStatus } from '#src/billing/subscription.ts';
import { PLAN_TIERS } from '#src/tables/accounts.ts';

const limited = z.int().describe(`${UNLIMITED} stands for no limit.`);

export const subscriptionRoutes: Route[] = [
  defineRoute({
    tag: 'Subscription',
    family: 'reference',
    scope: 'any',
    method: 'GET',
    path: '/subscription/status',
    summary: "The workspace's plan, what it costs and what it includes",
    description:
      'A plan that rests on no subscription is active and renews each month on the day it began.',
    reply: z.object({
      plan_tier: z.enum(PLAN_TIERS),
      status: z
        .string()
        .describe(
          'active, trialing, past_due, unpaid, paused, incomplete, incomplete_expired or canceled, as Stripe has them; others may come.',
        ),
      renewal_date: z.iso
        .datetime()
        .describe('When the period of the subscription in force ends, else of the plan.'),
      amount_monthly: z
        .int()
        .describe(
          'In minor units: of the subscription in force, else of the plan. 0 for Enterprise without a subscription, whose price is agreed on.',
        ),
      currency: z.string(),
      trial_active: z.boolean(),
      features: z.object({
        users: limited,
        storage_gb: limited,
        email_accounts: limited,
        custom_domain: z.boolean(),
        api_access: z.boolean(),
      }),
    }),
    async handle({ services, principal }) {
      const status = await readSubscriptionStatus(services.db, principal.workspaceId, {
        now: services.clock(),
        graceDays: services.config.PAYMENT_GRACE_DAYS,
      });
      return {
        plan_tier: status.planTier,
        status: status.status,
        renewal_date: status.renewalDate.toISOString(),
        amount_monthly: status.amountMonthly,
        currency: status.currency,
        trial_active: status.trialActive,
        features: status.features,
      };
    },
  }),
];
