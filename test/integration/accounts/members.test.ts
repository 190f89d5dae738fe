import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeMember } from '#src/accounts/members.ts';
import { UNLIMITED } from '#src/billing/plans.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { dumpWorkspace } from '#test/support/dump-workspace.ts';
import { makeOwnThings } from '#test/support/seed-chat.ts';
import { insertPair, ownerOf } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

const MEMBERS = '/account/members';

let millrace: TestMillrace;
let db: Database;

beforeAll(async () => {
  millrace = await startTestMillrace();
  ({ db } = millrace.services);
});
afterAll(() => millrace[Symbol.asyncDispose]());

const add = (key: string, body: unknown) => millrace.call('POST', MEMBERS, body, { key });
const list = (key: string) => millrace.call('GET', MEMBERS, undefined, { key });
const remove = (key: string, id: string) =>
  millrace.call('DELETE', `${MEMBERS}/${id}`, undefined, { key });
const account = (key: string) => millrace.call('GET', '/account', undefined, { key });

const countIn = async (workspaceId: string) =>
  (await dumpWorkspace(db, workspaceId))['user_account']?.length;

describe('adding members', () => {
  it.each([
    ['no name', { email: 'a@example.com' }, 'body.display_name'],
    ['an empty name', { display_name: ' ' }, 'body.display_name'],
    ['no address', { display_name: 'A', email: 'nobody' }, 'body.email'],
    [
      'an oversized address',
      { display_name: 'A', email: `${'a'.repeat(250)}@b.example` },
      'body.email',
    ],
    ['an unknown role', { display_name: 'A', role: 'owner' }, 'body.role'],
  ])('with %s is refused and names the field', async (_, body, words) => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const answer = await add(key, body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toContain(words);
    expect(await countIn(workspaceId)).toBe(1);
  });

  it('creates an account and a key that works at once with the requested role', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const ada = await add(key, { display_name: 'Ada', email: 'Ada@example.com', role: 'read' });
    expect([ada.status, ada.body]).toEqual([
      200,
      {
        user_id: expect.any(String),
        display_name: 'Ada',
        email: 'Ada@example.com',
        role: 'read',
        api_key: expect.stringMatching(/^mr_/),
      },
    ]);
    const bob = await add(key, { display_name: 'Bob' });
    expect(bob.body).toMatchObject({ email: null, role: 'member' });
    expect((await account(ada.body.api_key)).body).toEqual({
      user_id: ada.body.user_id,
      workspace_id: workspaceId,
      workspace_name: 'Another',
      display_name: 'Ada',
      email: 'Ada@example.com',
      role: 'read',
      plan: 'Pro',
      time_zone: 'UTC',
    });
    const owner = await ownerOfOldest(workspaceId);
    const { body } = await list(key);
    expect(body).toEqual({
      members: [
        expect.objectContaining({ user_id: owner, is_owner: true, roles: ['admin'], email: null }),
        expect.objectContaining({ user_id: ada.body.user_id, is_owner: false, roles: ['read'] }),
        expect.objectContaining({ user_id: bob.body.user_id, is_owner: false, roles: ['member'] }),
      ],
      total: 3,
      seats: 10,
    });
    expect(JSON.stringify(body)).not.toContain(ada.body.api_key);
  });

  it('accepts an e-mail address once per workspace, however it is spelled', async () => {
    const { key } = await millrace.createWorkspace('Pro');
    const other = await millrace.createWorkspace('Pro');
    const first = await add(key, { display_name: 'Ada', email: 'ada@example.com' });
    const second = await add(key, { display_name: 'Ada', email: 'ADA@Example.com' });
    expect([second.status, second.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(second.body.detail).toContain(first.body.user_id);
    expect((await add(other.key, { display_name: 'Ada', email: 'ada@example.com' })).status).toBe(
      200,
    );
    await remove(key, first.body.user_id);
    expect((await add(key, { display_name: 'Ada', email: 'ADA@Example.com' })).status).toBe(200);
  });
});

describe('the seat limit', () => {
  it.each([
    ['Free', 1, 'Personal'],
    ['Personal', 3, 'Pro'],
    ['Pro', 10, 'Agency'],
  ])('of %s is %d, and the refusal names the next larger plan', async (tier, seats, larger) => {
    const { key, workspaceId } = await millrace.createWorkspace(tier);
    for (let n = 1; n < seats; n += 1) {
      expect((await add(key, { display_name: `Member ${n}` })).status).toBe(200);
    }
    const { status, body } = await add(key, { display_name: 'One too many' });
    expect([status, body.error_code]).toEqual([403, 'UNAUTHORIZED']);
    expect(body.detail).toContain(`The ${tier} plan has ${seats} seat`);
    expect(body.detail).toContain(larger);
    expect(await countIn(workspaceId)).toBe(seats);
    expect((await list(key)).body).toMatchObject({ total: seats, seats });
  });

  it('is never exceeded by concurrent requests', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Agency');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        add(key, { display_name: `N${n}`, email: `same${n % 60}@example.com` }),
      ),
    );
    const added = answers.filter(({ status }) => status === 200);
    expect(added).toHaveLength(49);
    expect(await countIn(workspaceId)).toBe(50);
    expect(new Set(added.map(({ body }) => body.email)).size).toBe(49);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ status }) => status === 403 || status === 409)).toBe(true);
  });

  it('removes nobody after a downgrade, and admits nobody until there is room', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Enterprise');
    for (let n = 0; n < 4; n += 1) await add(key, { display_name: `Member ${n}` });
    expect((await list(key)).body.seats).toBe(UNLIMITED);
    await millrace.call('PUT', `/manage/admin/workspaces/${workspaceId}/plan`, {
      plan_tier: 'Personal',
    });
    const { body } = await list(key);
    expect(body).toMatchObject({ total: 5, seats: 3 });
    expect((await add(key, { display_name: 'No' })).status).toBe(403);
    const others = body.members.filter((one: { is_owner: boolean }) => !one.is_owner);
    for (const { user_id } of others.slice(0, 3)) {
      expect((await add(key, { display_name: 'Still no' })).status).toBe(403);
      expect((await remove(key, user_id)).status).toBe(200);
    }
    expect((await add(key, { display_name: 'Yes' })).status).toBe(200);
  });
});

describe('removing members', () => {
  it('deletes their keys, chats and points, and keeps what they made for the workspace', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const { body: ada } = await add(key, { display_name: 'Ada', role: 'member' });
    const pairId = await insertPair(db, workspaceId, 'Of Ada', ada.user_id);
    const pushed = await millrace.call(
      'POST',
      '/service-api/ingestion',
      {
        document: { id: 'd', semantic_identifier: 'd', sections: [{ text: 'Deep harbour.' }] },
        cc_pair_id: pairId,
      },
      { key: ada.api_key },
    );
    expect(pushed.status).toBe(200);
    await millrace.call(
      'POST',
      '/chat/send-chat-message',
      { message: 'How deep?', stream: false },
      { key: ada.api_key },
    );
    await makeOwnThings(millrace, ada.api_key);
    await sql`insert into points_account (user_id, workspace_id) values (${ada.user_id}, ${workspaceId})
      on conflict do nothing`.execute(db);
    await millrace.settled(key);
    const before = await dumpWorkspace(db, workspaceId);
    expect(before['chat_session']).toHaveLength(2);

    const removed = await remove(key, ada.user_id);
    expect([removed.status, removed.body]).toEqual([
      200,
      { status: 'deleted', user_id: ada.user_id },
    ]);
    await until(async () => (await account(ada.api_key)).status === 401);
    const after = await dumpWorkspace(db, workspaceId);
    const changed = Object.keys(before).filter(
      (table) => before[table]?.length !== after[table]?.length,
    );
    expect(new Set(changed).difference(MAY_GO)).toEqual(new Set());
    expect(changed).toEqual(
      expect.arrayContaining(
        'api_key chat_session points_account project user_account user_file'.split(' '),
      ),
    );
    expect(JSON.stringify(after)).not.toContain(ada.user_id);
    expect(after['document']).toEqual(before['document']);
    expect((await remove(key, ada.user_id)).status).toBe(404);
  });

  it('refuses to remove yourself, the owner and strangers', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const other = await millrace.createWorkspace('Pro');
    const { body: eve } = await add(other.key, { display_name: 'Eve' });
    const { body: ada } = await add(key, { display_name: 'Ada', role: 'admin' });
    const owner = await ownerOfOldest(workspaceId);
    const attempts = [
      [await remove(key, owner), 409, 'your own account'],
      [await remove(ada.api_key, ada.user_id), 409, 'your own account'],
      [await remove(ada.api_key, owner), 409, 'owner'],
      [await remove(key, eve.user_id), 404, eve.user_id],
      [await remove(key, 'x'), 404, '"x"'],
    ] as const;
    for (const [answer, status, words] of attempts) {
      expect(answer.status).toBe(status);
      expect(answer.body.detail).toContain(words);
    }
    expect((await account(eve.api_key)).status).toBe(200);
    expect((await list(key)).body.total).toBe(2);
  });

  it('leaves one admin when the last two remove each other at once', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const { body: ada } = await add(key, { display_name: 'Ada', role: 'admin' });
    const { body: bob } = await add(key, { display_name: 'Bob', role: 'admin' });
    await sql`update api_key set revoked_at = now()
      where user_id = ${await ownerOfOldest(workspaceId)}`.execute(db);
    const removal = (userId: string, by: string) =>
      // ids as the API gives them
      removeMember(db, { workspaceId: workspaceId as WorkspaceId, userId, by: by as UserId });
    const ends = await Promise.allSettled([
      removal(bob.user_id, ada.user_id),
      removal(ada.user_id, bob.user_id),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = ends.find((end) => end.status === 'rejected');
    expect(String(refused?.reason)).toContain('only admin');
    expect(await countIn(workspaceId)).toBe(2);
  });

  it('does not count an expired key as an admin key', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const { body: ada } = await add(key, { display_name: 'Ada', role: 'admin' });
    await sql`update api_key set expires_at = now() - interval '1 second'
      where user_id = ${await ownerOfOldest(workspaceId)}`.execute(db);
    // ids as the API and the database give them
    const removal = removeMember(db, {
      workspaceId: workspaceId as WorkspaceId,
      userId: ada.user_id,
      by: (await ownerOfOldest(workspaceId)) as UserId,
    });
    await expect(removal).rejects.toThrow('only admin');
  });

  it('is for admins only', async () => {
    const { key } = await millrace.createWorkspace('Pro');
    const { body: ada } = await add(key, { display_name: 'Ada' });
    const { body: bob } = await add(key, { display_name: 'Bob' });
    for (const answer of [
      await remove(ada.api_key, bob.user_id),
      await add(ada.api_key, { display_name: 'Eve', role: 'admin' }),
      await list(ada.api_key),
    ]) {
      expect([answer.status, answer.body.error_code]).toEqual([403, 'UNAUTHORIZED']);
    }
  });
});

/** Tables whose rows are deleted with the user account. */
const MAY_GO = new Set([
  'api_key',
  'chat_message',
  'chat_run',
  'chat_run_part',
  'chat_session',
  'points_account',
  'points_achievement',
  'points_award',
  'project',
  'user_account',
  'user_file',
  'user_file_chunk',
]);

/** Like `ownerOf`, for a workspace with several accounts. */
async function ownerOfOldest(workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('user_account')
    .select('id')
    .where(sql<boolean>`workspace_id = ${workspaceId}`)
    .orderBy('created_at')
    .executeTakeFirst();
  return row?.id ?? (await ownerOf(db, workspaceId));
}
