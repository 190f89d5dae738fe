import type { Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';

type Action = Pick<
  Reply<'GET /operations/audit'>['actions'][number],
  'action' | 'queue' | 'detail'
>;

/** What was done, to be said after who did it; an action that this version does not know by its name. */
export function auditSentence(action: Action): Part {
  const say = SENTENCES[action.action];
  return say === undefined ? html`did <code>${action.action}</code>` : say(action);
}

const SENTENCES: Readonly<Record<string, (action: Action) => Part>> = {
  'queue.pause': (one) => html`paused ${queueOf(one)}${after(textOf(one, 'reason'))}`,
  'queue.resume': (one) => html`resumed ${queueOf(one)}${since(textOf(one, 'paused_by'))}`,
  'failures.retry': (one) => html`retried ${failuresOf(one)} of ${queueOf(one)}`,
  'failures.discard': (one) => html`discarded ${failuresOf(one)} of ${queueOf(one)}`,
  'schedule.run': (one) => html`ran ${queueOf(one)} by hand`,
  dashboard: (one) => html`changed raw jobs${one.queue !== null && html` of ${queueOf(one)}`}`,
  'workspace.create': (one) => html`made the workspace ${strong(one, 'name')}`,
  'workspace.rename': (one) => html`renamed the workspace to ${strong(one, 'name')}`,
  'workspace.plan': (one) => html`set a workspace to the plan ${strong(one, 'plan_tier')}`,
  'owner_link.create': () => 'made an owner link',
  'secrets.reseal': () => 'sealed stored secrets with the first key',
  'key.create': (one) =>
    html`made the API key ${strong(one, 'name')}${inRole(textOf(one, 'role'))}`,
  'key.revoke': (one) => html`revoked an API key${named(textOf(one, 'id'))}`,
  'member.add': (one) => html`added the member ${strong(one, 'display_name')}`,
  'member.role': (one) =>
    html`changed the role of a member to ${strong(one, 'role')}${named(textOf(one, 'id'))}`,
  'member.remove': (one) => html`removed a member${named(textOf(one, 'id'))}`,
  'invitation.create': (one) => html`invited ${strong(one, 'email')}${inRole(textOf(one, 'role'))}`,
  'invitation.withdraw': (one) => html`withdrew an invitation${named(textOf(one, 'id'))}`,
};

function queueOf({ queue }: Action): Part {
  if (queue === null) return 'a queue';
  return html`<a href=${link(`/operations/${queue}`)}>${queue}</a>`;
}

/** Of a retry, `rows` is how many were begun. */
function failuresOf({ detail }: Action): Part {
  const rows = detail['rows'];
  return typeof rows === 'number' ? plural(rows, 'failure') : 'failures';
}

function textOf({ detail }: Action, name: string): string | null {
  const value = detail[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function strong(action: Action, name: string): Part {
  const text = textOf(action, name);
  return text === null ? '' : html`<strong>${text}</strong>`;
}

const after = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);
const since = (name: string | null): string => (name === null ? '' : `, which ${name} had paused`);
const inRole = (role: string | null): string => (role === null ? '' : ` as ${role}`);
const named = (id: string | null): Part =>
  id === null ? '' : html` <span class="muted small">${id}</span>`;
