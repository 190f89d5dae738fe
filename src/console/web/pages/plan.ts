import { call, type Reply } from '#src/console/web/data/call.ts';
import { roleOf, session } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label, type Tone } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import type { Part, Parts } from '#src/console/web/parts/html.ts';
import { countText, moneyText } from '#src/console/web/parts/number.ts';
import { facts, known, notice, page, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';

type Plan = Reply<'GET /subscription/status'>;
const PAID = ['Personal', 'Pro', 'Agency'] as const;
/** What the service answers where there is no limit. */
const UNLIMITED = 1_000_000;

/** What does this workspace pay for, and what does it get? */
export function PlanPage(): Part {
  const plan = useResource('GET /subscription/status');
  return page({
    title: 'Plan',
    width: 'narrow',
    content: known(plan, show, () => refresh('GET /subscription/status')),
  });
}

function show(plan: Plan): Parts {
  const { features } = plan;
  return [
    plan.trial_active && notice('grey', 'The trial is running.'),
    section({
      title: plan.plan_tier,
      actions: label({
        tone: toneOf(plan.status),
        icon: plan.status === 'active' ? 'check' : 'warning',
        word: plan.status.replaceAll('_', ' '),
      }),
      content: facts([
        [
          'Price',
          plan.amount_monthly === 0
            ? 'free'
            : `${moneyText(plan.amount_monthly, plan.currency)} a month`,
        ],
        ['Renews', time(plan.renewal_date)],
        ['Users', limitText(features.users)],
        ['Sender accounts', limitText(features.email_accounts)],
        [
          'Storage',
          features.storage_gb >= UNLIMITED ? 'no limit' : `${countText(features.storage_gb)} GB`,
        ],
        ['Own domain', features.custom_domain ? 'yes' : 'no'],
        ['API', features.api_access ? 'yes' : 'no'],
      ]),
    }),
    roleOf(session.value) === 'admin' && section({ title: 'Change', content: changes(plan) }),
  ];
}

/** The service tells in a sentence when payments are not set up. */
function changes({ plan_tier: current }: Plan): Parts {
  return [
    PAID.filter((tier) => tier !== current).map((tier) => [
      button({
        text: `Choose ${tier}`,
        run: async () => {
          const { url } = await call('POST /billing/checkout', { body: { plan_tier: tier } });
          location.assign(url);
        },
      }),
      ' ',
    ]),
    button({
      text: 'Payments and invoices',
      run: async () => {
        const { url } = await call('POST /billing/portal', { body: {} });
        location.assign(url);
      },
    }),
  ];
}

function toneOf(status: string): Tone {
  if (status === 'active' || status === 'trialing') return 'green';
  return status === 'canceled' ? 'grey' : 'amber';
}

function limitText(limit: number): string {
  return limit < 0 || limit >= UNLIMITED ? 'no limit' : countText(limit);
}
