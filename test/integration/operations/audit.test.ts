import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '#src/api/routes/index.ts';
import type { Role } from '#src/tables/accounts.ts';
import { type Browser, insertPerson, signIn } from '#test/support/seed-people.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let operators: string;
let operator: Browser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  const { rows } = await sql<{ id: string }>`
    select id from workspace where is_bootstrap`.execute(millrace.services.db);
  operators = rows[0]?.id ?? '';
  operator = await enter(operators, 'admin');
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function enter(workspaceId: string, role: Role) {
  const { personEmail } = await insertPerson(millrace.services, workspaceId, role);
  return signIn(millrace, personEmail);
}

const latest = async () => {
  const { body } = await millrace.call('GET', '/operations/audit');
  const actions = body.actions as {
    action: string;
    queue: string | null;
    detail: Record<string, unknown>;
    by: { name: string };
  }[];
  return actions;
};

describe('the audit log', () => {
  /** Written by their handlers, with what only they know. */
  const OF_HANDLERS = [
    'POST /operations/queues/{queue}/pause',
    'POST /operations/queues/{queue}/resume',
    'POST /operations/queues/{queue}/failures/retry',
    'POST /operations/queues/{queue}/failures/discard',
    'POST /operations/schedules/{name}/run',
  ];

  it('has every request by which an operator changes something', () => {
    const silent = ROUTES.filter(
      ({ scope, method, audit }) =>
        scope === 'bootstrap-admin' && method !== 'GET' && audit === null,
    );
    expect(silent.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      OF_HANDLERS.toSorted(),
    );
  });

  it('tells who made workspaces, set plans, and gave and took keys and roles, without any secret', async () => {
    const call = async (method: string, path: string, body?: object) => {
      const answer = await operator.call(method, path, body);
      expect([200, 202], `${method} ${path} ${answer.text}`).toContain(answer.status);
      return answer;
    };
    const made = await call('POST', '/manage/admin/workspaces', { name: 'Acme' });
    const plan = `/manage/admin/workspaces/${made.body.workspace_id}/plan`;
    await call('PUT', plan, { plan_tier: 'Pro' });
    const link = await call('POST', '/manage/admin/owner-link');
    const key = await call('POST', '/account/api-keys', { name: 'CI', role: 'ingest' });
    await call('DELETE', `/account/api-keys/${key.body.id}`);
    const member = await call('POST', '/account/members', { display_name: 'Bo', role: 'read' });
    await call('DELETE', `/account/members/${member.body.user_id}`);
    const invited = await call('POST', '/account/invitations', {
      email: `${randomUUID()}@example.com`,
      role: 'observer',
    });
    await call('DELETE', `/account/invitations/${invited.body.id}`);
    await call('PATCH', '/account/workspace', { name: 'The mill' });
    const actions = (await latest()).slice(0, 10).toReversed();
    expect(actions.map(({ action }) => action)).toEqual([
      'workspace.create',
      'workspace.plan',
      'owner_link.create',
      'key.create',
      'key.revoke',
      'member.add',
      'member.remove',
      'invitation.create',
      'invitation.withdraw',
      'workspace.rename',
    ]);
    expect(new Set(actions.map(({ by }) => by.name))).toEqual(new Set(['Somebody']));
    expect(actions[1]?.detail).toEqual({ id: made.body.workspace_id, plan_tier: 'Pro' });
    expect(actions[3]?.detail).toEqual({ name: 'CI', role: 'ingest' });
    const text = JSON.stringify(actions);
    for (const secret of [
      made.body.api_key,
      key.body.key,
      member.body.api_key,
      ...[link, invited].map(({ body }) => String(body.link).split('#token=')[1]),
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('has nothing of what admins of other workspaces do in theirs, nor of what is refused to them', async () => {
    const before = (await latest())[0];
    const { workspaceId } = await millrace.createWorkspace();
    const after = (await latest())[0];
    const admin = await enter(workspaceId, 'admin');
    expect(
      (await admin.call('POST', '/account/api-keys', { name: 'A', role: 'read' })).status,
    ).toBe(200);
    expect((await admin.call('POST', '/manage/admin/owner-link')).status).toBe(403);
    expect((await latest())[0]).toEqual(after);
    expect(before).toBeDefined();
  });
});

describe('the dashboard of raw jobs', () => {
  const pause = '/admin/queues/api/queues/term-fold/pause';
  const resume = '/admin/queues/api/queues/term-fold/resume';

  it('opens by the session of an operator, whose changes are in the audit log', async () => {
    const page = await operator.call('GET', '/admin/queues');
    expect([page.status, page.text.includes('<html')]).toEqual([200, true]);
    for (const path of [pause, resume]) {
      expect((await operator.call('PUT', path)).status).toBe(200);
      const [action] = await latest();
      expect(action).toMatchObject({
        action: 'dashboard',
        queue: 'term-fold',
        detail: { method: 'PUT', path },
        by: { name: 'Somebody' },
      });
    }
  });

  it.each(['observer', 'member', 'read', 'ingest'] as const)(
    'stays shut for the %s of the operators',
    async (role) => {
      const browser = await enter(operators, role);
      expect((await browser.call('GET', '/admin/queues')).status).toBe(403);
      expect((await browser.call('GET', '/admin/queues/api/queues')).status).toBe(403);
      expect((await browser.call('PUT', pause)).status).toBe(403);
    },
  );

  it('stays shut for admins of other workspaces, and without a session', async () => {
    const browser = await enter((await millrace.createWorkspace()).workspaceId, 'admin');
    expect((await browser.call('GET', '/admin/queues')).status).toBe(403);
    expect((await browser.call('PUT', pause)).status).toBe(403);
    await operator.call('GET', '/admin/queues');
    const left = await enter(operators, 'admin');
    const { cookies } = left;
    await left.call('POST', '/auth/sign-out');
    const answer = await millrace.call('GET', '/admin/queues', undefined, {
      key: null,
      headers: { Cookie: cookies },
    });
    expect(answer.status).toBe(401);
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { Origin: 'https://stolen.test' }],
    ['a cross-site page', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a subdomain', { 'Sec-Fetch-Site': 'same-site' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ])('takes no change from %s', async (name, headers) => {
    const [before] = await latest();
    const body = name === 'a form' ? { a: 1 } : undefined;
    expect((await operator.call('PUT', pause, body, headers)).status).toBe(403);
    expect((await latest())[0]).toEqual(before);
  });
});
