import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { UNLIMITED } from '#src/billing/plans.ts';
import { type PlanTier, PLAN_TIERS } from '#src/tables/accounts.ts';
import { type AddCommand, type CommandContext, printJson } from './command-context.ts';
import { formatCount, formatTable, plainLine } from './terminal.ts';

const ownAccount = z.object({ workspace_id: z.string() });
const changedPlan = z.looseObject({
  workspace_id: z.string(),
  plan_tier: z.string(),
  base_plan_tier: z.string(),
  previous_plan_tier: z.string(),
});
const subscription = z.looseObject({
  plan_tier: z.string(),
  status: z.string(),
  renewal_date: z.string(),
  amount_monthly: z.number(),
  currency: z.string(),
  features: z.looseObject({
    users: z.number(),
    storage_gb: z.number(),
    email_accounts: z.number(),
  }),
});

/** `millrace plan`: shows the plan of the key's workspace, and sets the plan of any workspace. */
export const addPlanCommand: AddCommand = (program, context) => {
  const plan = program
    .command('plan')
    .summary('show and set plans')
    .description('Show the plan of your workspace, or set the plan of a workspace.');
  plan
    .command('show')
    .description('Show the plan of the workspace that the key belongs to.')
    .action(() => showPlan(context));
  plan
    .command('set')
    .description("Set a workspace's plan; needs an admin key of the service's first workspace.")
    .argument('<tier>', PLAN_TIERS.join(', '), planTier)
    .option('--workspace <id>', "id of the workspace (default: the key's own)")
    .action((tier: PlanTier, { workspace }: { workspace?: string }) =>
      setPlan(tier, workspace ?? null, context),
    );
};

function planTier(text: string): PlanTier {
  const tier = PLAN_TIERS.find((one) => one.toLowerCase() === text.trim().toLowerCase());
  if (tier === undefined) {
    throw new InvalidArgumentError(`The plans are ${PLAN_TIERS.join(', ')}.`);
  }
  return tier;
}

async function setPlan(
  tier: PlanTier,
  workspace: string | null,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const id = workspace ?? (await client.json('GET', '/account', ownAccount)).workspace_id;
  const path = `/manage/admin/workspaces/${encodeURIComponent(id)}/plan`;
  const change = await client.json('PUT', path, changedPlan, { body: { plan_tier: tier } });
  if (context.wantsJson()) {
    printJson(context, change);
    return;
  }
  const { workspace_id, plan_tier: now, previous_plan_tier: before } = change;
  const what = now === before ? `is on ${now} as before` : `was on ${before} and is on ${now} now`;
  context.terminal.stdout.write(`${plainLine(`Workspace ${workspace_id} ${what}.`)}\n`);
  if (now === change.base_plan_tier) return;
  context.terminal.stderr.write(
    `${plainLine(`Its subscription grants ${now}; ${change.base_plan_tier} applies once that ends.`)}\n`,
  );
}

async function showPlan(context: CommandContext): Promise<void> {
  const status = await context.connect().json('GET', '/subscription/status', subscription);
  if (context.wantsJson()) {
    printJson(context, status);
    return;
  }
  const { users, storage_gb, email_accounts } = status.features;
  const rows = [
    ['Plan', status.plan_tier],
    ['Status', status.status],
    ['Renews', status.renewal_date],
    ['A month', priceOf(status.amount_monthly, status.currency)],
    ['Users', countOf(users)],
    ['Storage', storage_gb === UNLIMITED ? 'unlimited' : `${countOf(storage_gb)} GB`],
    ['Email accounts', countOf(email_accounts)],
  ];
  context.terminal.stdout.write(formatTable(rows.map((row) => row.map(plainLine))));
}

/** `29.00 USD`; a currency without minor units has no decimals. */
function priceOf(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) return `${amount} ${code}`;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: code });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return `${(amount / 10 ** digits).toFixed(digits)} ${code}`;
}

function countOf(limit: number): string {
  return limit === UNLIMITED ? 'unlimited' : formatCount(limit);
}
