import { call, type Reply } from '#src/console/web/data/call.ts';
import { linkWith, query } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { secret, shortId } from '#src/console/web/parts/copy.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { known, notice, page } from '#src/console/web/parts/page.ts';
import { pager, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';

type Found = Reply<'GET /manage/admin/workspaces'>;
type Workspace = Found['workspaces'][number];

const PAGE = 50;
const PLANS = ['Free', 'Personal', 'Pro', 'Agency', 'Enterprise'] as const;
const reload = (): Promise<void> => refresh('GET /manage/admin/workspaces');

/** Who uses this deployment, on which plan? */
export function OperationsWorkspaces(): Part {
  const offset = Math.max(0, Number(query.value.get('offset')) || 0);
  const workspaces = useResource('GET /manage/admin/workspaces', {
    query: { limit: PAGE, offset },
  });
  return page({
    title: 'Workspaces',
    about: 'Each has its own documents, members and keys, and sees nothing of the others.',
    actions: button({ text: 'New workspace', icon: 'plus', look: 'primary', run: askForNew }),
    content: known(workspaces, (found) => workspaceTable(found, offset), reload),
  });
}

function workspaceTable({ workspaces, total }: Found, offset: number): Part {
  const next = offset + workspaces.length;
  return table({
    caption: 'Workspaces',
    rows: workspaces,
    keyOf: ({ id }) => id,
    columns: [
      {
        name: 'Name',
        role: 'main',
        show: ({ name, id, is_bootstrap: isOperators }) =>
          twoLines(
            html`<span>${name}</span>`,
            isOperators ? 'the operator’s: its admins are operators' : shortId(id),
          ),
      },
      { name: 'Plan', label: 'plan', show: planText },
      { name: 'Members', isNumber: true, label: 'members', show: ({ members }) => count(members) },
      { name: 'Made', label: 'made', show: ({ created_at }) => time(created_at) },
      {
        name: '',
        role: 'state',
        show: (one) => button({ text: 'Set plan', look: 'tiny', run: () => askForPlan(one) }),
      },
    ],
    foot: pager({
      count: plural(total, 'workspace'),
      firstHref: offset > 0 ? linkWith({ offset: null }) : null,
      nextHref: next < total ? linkWith({ offset: String(next) }) : null,
      words: { first: 'First', next: 'Next' },
    }),
  });
}

function planText({ plan_tier: plan, base_plan_tier: base }: Workspace): Part {
  if (plan === base) return plan;
  return html`<span title="A subscription grants ${plan}; without it: ${base}"
    >${plan}, by subscription</span
  >`;
}

const planOptions = PLANS.map((value) => ({ value, text: value }));

function toPlan(value: unknown): (typeof PLANS)[number] {
  return PLANS.find((plan) => plan === value) ?? 'Free';
}

function askForNew(): void {
  openDialog({
    title: 'New workspace',
    content: () =>
      form({
        action: 'Make the workspace',
        cancel: closeDialog,
        fields: [
          { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 200 },
          {
            name: 'plan_tier',
            label: 'Plan',
            kind: 'choice',
            value: '',
            options: [{ value: '', text: 'the default plan' }, ...planOptions],
          },
        ],
        submit: make,
      }),
  });
}

async function make({ name, plan_tier: plan }: Values): Promise<void> {
  const { api_key: key } = await call('POST /manage/admin/workspaces', {
    body: { name: String(name), ...(plan ? { plan_tier: toPlan(plan) } : {}) },
  });
  void reload();
  openDialog({
    title: `Workspace ${String(name)}`,
    isWide: true,
    content: () =>
      html`<div class="stack">
        ${notice('amber', 'This is its first admin key. It is shown this once: pass it on to whoever runs the workspace.')}
        ${secret(key, 'key')}
        <div class="actions">${button({ text: 'Done', look: 'primary', run: closeDialog })}</div>
      </div>`,
  });
}

function askForPlan({ id, name, base_plan_tier: base }: Workspace): void {
  openDialog({
    title: `Plan of ${name}`,
    content: () =>
      form({
        action: 'Set the plan',
        cancel: closeDialog,
        fields: [
          {
            name: 'plan_tier',
            label: 'Plan without a subscription',
            kind: 'choice',
            isRequired: true,
            value: base,
            options: planOptions,
            help: 'A subscription that grants more stays in force. Members beyond the seats of a smaller plan stay, and none can be added.',
          },
        ],
        submit: async ({ plan_tier: chosen }) => {
          const reply = await call('PUT /manage/admin/workspaces/{id}/plan', {
            path: { id },
            body: { plan_tier: toPlan(chosen) },
          });
          closeDialog();
          say(`${name} is on the plan ${reply.plan_tier}.`);
          await reload();
        },
      }),
  });
}
