import { z } from 'zod';
import { countMembers } from '#src/accounts/members.ts';
import { defineRoute, type Route } from '#src/api/route.ts';
import { UNLIMITED } from '#src/billing/plans.ts';
import { readSubscriptionStatus } from '#src/billing/subscription.ts';
import { sumDocumentBytes } from '#src/documents/list-documents.ts';
import { countAccounts } from '#src/email/accounts.ts';
import { sumFileBytes } from '#src/files/stored-file-rows.ts';
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
  defineRoute({
    tag: 'Subscription',
    family: 'reference',
    scope: 'any',
    method: 'GET',
    path: '/subscription/usage',
    summary: 'How much of what the plan includes is in use',
    reply: z.object({
      users: z.int().describe('Members; open invitations count as well when one is added.'),
      email_accounts: z.int(),
      storage_bytes: z.number().describe('Texts of documents, and files.'),
      card_payments: z.boolean().describe('Whether this service takes any.'),
    }),
    async handle({ services: { db, config }, principal: { workspaceId } }) {
      return {
        users: await countMembers(db, workspaceId),
        email_accounts: await countAccounts(db, workspaceId),
        storage_bytes:
          (await sumDocumentBytes(db, workspaceId)) + (await sumFileBytes(db, workspaceId)),
        card_payments: config.STRIPE_SECRET_KEY !== undefined,
      };
    },
  }),
];
