// @module-tag smoke
import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findProject } from '#src/chat/projects/find-project.ts';
import type { Answer } from '#test/support/api-client.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { insertSession, insertUserFile } from '#test/support/project-rows.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let owner: TestUser;
/** An admin of the same workspace. */
let colleague: TestUser;
let reader: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  millrace = await startTestMillrace();
  colleague = await openWorkspace(millrace);
  stranger = await openWorkspace(millrace);
  owner = await addUser(millrace, colleague, 'member');
  reader = await addUser(millrace, colleague, 'read');
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function make(by: TestUser = owner, name = 'Move'): Promise<number> {
  const { body } = await by.call('POST', `/user/projects/create?name=${name}`);
  expect(body).toMatchObject({ name });
  return body.id;
}

const idsOf = (answer: Answer): unknown[] => answer.body.map(({ id }: { id: unknown }) => id);

describe('a project', () => {
  it.each<[string, string, unknown, string]>([
    ['no name', '', undefined, 'query.name'],
    ['a blank name', '?name=%20', undefined, 'query.name'],
    ['a name of 201 characters', `?name=${'n'.repeat(201)}`, undefined, 'query.name'],
    ['a line break in its name', '?name=a%0Ab', undefined, 'query.name'],
    ['a name that is not text', '', { name: 5 }, 'body.name'],
    [
      '50,001 characters of instructions',
      '?name=a',
      { instructions: 'x'.repeat(50_001) },
      'body.instructions',
    ],
    ['half a surrogate pair', '?name=a', { description: '\uD800' }, 'body.description'],
  ])('with %s is refused and not created', async (_, query, body, words) => {
    const before = idsOf(await owner.call('GET', '/user/projects'));
    const refused = await owner.call('POST', `/user/projects/create${query}`, body);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
    expect(idsOf(await owner.call('GET', '/user/projects'))).toEqual(before);
  });

  it('takes its name from the query or the body, and keeps it', async () => {
    const short = await owner.call('POST', '/api/user/projects/create?name=Short');
    expect([short.status, short.body]).toEqual([
      200,
      {
        id: expect.any(Number),
        name: 'Short',
        description: null,
        created_at: expect.stringMatching(/Z$/),
        user_id: owner.userId,
        instructions: null,
        chat_sessions: [],
      },
    ]);
    const whole = await owner.call('POST', '/user/projects/create', {
      name: 'Whole',
      description: 'All of it',
      instructions: 'Be brief.',
    });
    expect(whole.body).toMatchObject({ description: 'All of it', instructions: 'Be brief.' });
    expect((await owner.call('GET', `/user/projects/${whole.body.id}`)).body).toEqual(whole.body);
    expect(idsOf(await owner.call('GET', '/user/projects'))).toEqual(
      expect.arrayContaining([short.body.id, whole.body.id]),
    );
    expect(await findProject(millrace.services.db, owner, whole.body.id)).toEqual({
      id: whole.body.id,
      name: 'Whole',
      instructions: 'Be brief.',
    });
  });

  it('keeps the fields that an update leaves out', async () => {
    const id = await make();
    const first = await owner.call('PATCH', `/user/projects/${id}`, { description: 'D' });
    expect(first.body).toMatchObject({ name: 'Move', description: 'D' });
    const second = await owner.call('PATCH', `/user/projects/${id}`, { name: 'Moved' });
    expect(second.body).toMatchObject({ name: 'Moved', description: 'D' });
    const third = await owner.call('PATCH', `/user/projects/${id}`, { description: null });
    expect(third.body).toMatchObject({ name: 'Moved', description: null });
    const nothing = await owner.call('PATCH', `/user/projects/${id}`, {});
    expect([nothing.status, nothing.body]).toEqual([200, third.body]);
  });

  it('has instructions that are set, read and removed separately', async () => {
    const path = `/user/projects/${await make()}/instructions`;
    expect((await owner.call('GET', path)).body).toEqual({ instructions: null });
    const set = await owner.call('POST', path, { instructions: 'In French.' });
    expect(set.body).toEqual({ instructions: 'In French.' });
    expect((await owner.call('GET', path)).body).toEqual({ instructions: 'In French.' });
    expect((await owner.call('POST', path, { instructions: ' ' })).body).toEqual({
      instructions: null,
    });
  });

  it('belongs to its owner only, not to admins of the workspace or strangers', async () => {
    const id = await make();
    const [file, session] = [
      await insertUserFile(millrace, owner),
      await insertSession(millrace, owner, id),
    ];
    await owner.call('POST', `/user/projects/${id}/files/${file}`);
    const before = await owner.call('GET', `/user/projects/${id}/details`);
    for (const person of [colleague, stranger]) {
      const theirs = await insertUserFile(millrace, person);
      const theirSession = await insertSession(millrace, person);
      const answers = await Promise.all([
        person.call('GET', `/user/projects/${id}`),
        person.call('PATCH', `/user/projects/${id}`, { name: 'Taken' }),
        person.call('DELETE', `/user/projects/${id}`),
        person.call('GET', `/user/projects/${id}/details`),
        person.call('GET', `/user/projects/${id}/instructions`),
        person.call('POST', `/user/projects/${id}/instructions`, { instructions: 'Lie.' }),
        person.call('GET', `/user/projects/files/${id}`),
        person.call('POST', `/user/projects/${id}/files/${theirs}`),
        person.call('DELETE', `/user/projects/${id}/files/${file}`),
        person.call('GET', `/user/projects/session/${session}/files`),
        person.call('POST', `/user/projects/${id}/move_chat_session`, {
          chat_session_id: theirSession,
        }),
        person.call('POST', '/user/projects/remove_chat_session', { chat_session_id: session }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(404));
      expect(idsOf(await person.call('GET', '/user/projects'))).not.toContain(id);
      expect(await findProject(millrace.services.db, person, id)).toBeNull();
    }
    expect((await owner.call('GET', `/user/projects/${id}/details`)).body).toEqual(before.body);
  });

  it('does not accept files and conversations of others', async () => {
    const id = await make();
    for (const person of [colleague, stranger]) {
      const [file, session] = [
        await insertUserFile(millrace, person),
        await insertSession(millrace, person),
      ];
      const added = await owner.call('POST', `/user/projects/${id}/files/${file}`);
      const moved = await owner.call('POST', `/user/projects/${id}/move_chat_session`, {
        chat_session_id: session,
      });
      expect([added.status, moved.status]).toEqual([404, 404]);
    }
    const { body } = await owner.call('GET', `/user/projects/${id}/details`);
    expect([body.files, body.project.chat_sessions]).toEqual([[], []]);
  });

  it('can be viewed but not changed with a read-only key', async () => {
    expect((await reader.call('GET', '/user/projects')).body).toEqual([]);
    const refused = await Promise.all([
      reader.call('POST', '/user/projects/create?name=No'),
      reader.call('PATCH', '/user/projects/1', { name: 'No' }),
      reader.call('DELETE', '/user/projects/1'),
      reader.call('POST', '/user/projects/1/instructions', { instructions: 'No' }),
      reader.call('POST', `/user/projects/1/files/${randomUUID()}`),
      reader.call('DELETE', `/user/projects/1/files/${randomUUID()}`),
      reader.call('POST', '/user/projects/1/move_chat_session', { chat_session_id: randomUUID() }),
      reader.call('POST', '/user/projects/remove_chat_session', { chat_session_id: randomUUID() }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(Array(8).fill(403));
  });

  it('is deleted with its conversations, while the files stay', async () => {
    const id = await make();
    const [file, inside, outside] = [
      await insertUserFile(millrace, owner),
      await insertSession(millrace, owner, id),
      await insertSession(millrace, owner),
    ];
    await owner.call('POST', `/user/projects/${id}/files/${file}`);
    expect((await owner.call('DELETE', `/user/projects/${id}`)).text).toBe('null');
    expect((await owner.call('DELETE', `/user/projects/${id}`)).status).toBe(404);
    expect((await owner.call('GET', `/user/projects/files/${id}`)).status).toBe(404);
    const { rows: files } = await sql`select 1 from user_file
      where id = ${file}`.execute(millrace.services.db);
    const { rows: sessions } = await sql<{ id: string }>`select id from chat_session
      where id = any(${[inside, outside]}::uuid[])`.execute(millrace.services.db);
    expect([files.length, sessions]).toEqual([1, [{ id: outside }]]);
  });

  it('is refused beyond 500 per user, however many are created at once', async () => {
    const person = await addUser(millrace, colleague, 'member');
    await sql`insert into project (workspace_id, user_id, name)
      select ${person.workspaceId}, ${person.userId}, 'P' || n
      from generate_series(1, 498) n`.execute(millrace.services.db);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => person.call('POST', '/user/projects/create?name=More')),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 409, 409,
    ]);
  });
});
