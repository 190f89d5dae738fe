import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Plan, PLANS, UNLIMITED } from '#src/billing/plans.ts';
import { PLAN_TIERS } from '#src/tables/accounts.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(resolve(DOCS, 'plans.md'), 'utf8');

const count = (limit: number): string =>
  limit === UNLIMITED ? 'no limit' : limit.toLocaleString('en-US');
const yesNo = (has: boolean): string => (has ? 'yes' : 'no');

/** What each row of the table shows about a plan. */
const ROWS: Record<string, (plan: Plan) => string> = {
  'A month, in USD': ({ amountMonthly }) =>
    amountMonthly === null ? 'as agreed' : String(amountMonthly / 100),
  Users: ({ seats }) => count(seats),
  'Requests a minute and user (reference family)': ({ requestsPerMinute }) =>
    count(requestsPerMinute),
  'Storage in GB': ({ features }) => count(features.storage_gb),
  'Sender accounts': ({ features }) => count(features.email_accounts),
  'Messages a day and sender account': ({ dailyEmailsPerAccount }) => count(dailyEmailsPerAccount),
  'Domain of your own': ({ features }) => yesNo(features.custom_domain),
  'API access': ({ features }) => yesNo(features.api_access),
};

test('the table of plans in the manual matches the code', () => {
  const table = /(?:^\|.*\|\n)+/m.exec(page)?.[0] ?? '';
  const [head, , ...rows] = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  expect(head).toEqual(['', ...PLAN_TIERS]);
  expect(rows).toEqual(
    Object.entries(ROWS).map(([name, show]) => [
      name,
      ...PLAN_TIERS.map((tier) => show(PLANS[tier])),
    ]),
  );
  expect(new Set(PLAN_TIERS.map((tier) => PLANS[tier].currency))).toEqual(new Set(['usd']));
});

test.each(['plans.md', 'webhooks.md'])('the links in %s point to existing files', (name) => {
  const text = readFileSync(resolve(DOCS, name), 'utf8');
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target = '']) => target,
  );
  expect(targets.filter((target) => !existsSync(resolve(DOCS, target)))).toEqual([]);
});
