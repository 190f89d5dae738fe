import { call, type Reply } from '#src/console/web/data/call.ts';
import { roleOf, session } from '#src/console/web/data/session.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label, type Tone } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { bytesText, countText, moneyText } from '#src/console/web/parts/number.ts';
import { facts, known, notice, page, section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';

type Plan = Reply<'GET /subscription/status'>;
type Usage = Reply<'GET /subscription/usage'>;
const PAID = ['Personal', 'Pro', 'Agency'] as const;
/** What the service answers where there is no limit. */
const UNLIMITED = 1_000_000;

const reload = (): Promise<void> => refresh('GET /subscription/status', 'GET /subscription/usage');

/** What does this workspace pay for, and what does it get? */
export function PlanPage(): Part {
  const plan = useResource('GET /subscription/status');
  const usage = useResource('GET /subscription/usage');
  return page({
    title: 'Plan',
    width: 'narrow',
    content: known(plan, (found) => show(found, usage.data), reload),
  });
}

function show(plan: Plan, usage: Usage | null): Parts {
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
        ['Own domain', features.custom_domain ? 'yes' : 'no'],
        ['API', features.api_access ? 'yes' : 'no'],
      ]),
    }),
    usage && section({ title: 'In use', content: used(plan, usage) }),
    roleOf(session.value) === 'admin' &&
      usage &&
      section({
        title: 'Change',
        content: usage.card_payments ? changes(plan) : byTheOperator(plan),
      }),
  ];
}

const GB = 1_000_000_000;

function used({ features }: Plan, usage: Usage): Parts {
  return html`<div class="stack">
    ${meter('Users', { value: usage.users, limit: features.users, text: countText })}
    ${meter('Sender accounts', { value: usage.email_accounts, limit: features.email_accounts, text: countText })}
    ${meter('Storage', { value: usage.storage_bytes, limit: features.storage_gb < UNLIMITED ? features.storage_gb * GB : UNLIMITED * GB, text: bytesText })}
  </div>`;
}

/** How much of a limit is used: in words, and as a bar where there is a limit. */
function meter(
  name: string,
  { value, limit, text }: { value: number; limit: number; text: (value: number) => string },
): Part {
  const isLimited =
    (limit >= 0 && limit < UNLIMITED) || (text === bytesText && limit < UNLIMITED * GB);
  const share = limit === 0 ? (value > 0 ? 1 : 0) : Math.min(1, value / limit);
  return html`<div class="meter" key=${name}>
    <div class="row apart">
      <span>${name}</span>
      <span class="number"
        >${isLimited ? `${text(value)} of ${text(limit)}` : `${text(value)}, no limit`}</span
      >
    </div>
    ${
      isLimited &&
      html`<div class="bar ${share >= 1 ? 'full' : ''}">
        <i style=${{ width: `${share * 100}%` }}></i>
      </div>`
    }
  </div>`;
}

function byTheOperator({ plan_tier: tier }: Plan): Part {
  return html`<p>
    This service takes no card payments. Whoever runs it can change the plan, here
    <strong>${tier}</strong>, and with it these limits.
  </p>`;
}

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
