import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findProject } from '#src/chat/projects/find-project.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

interface Person {
  owner: { workspaceId: WorkspaceId; userId: UserId };
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

let millrace: TestMillrace;
let owner: Person;
/** An admin of the same workspace. */
let colleague: Person;
let reader: Person;
let stranger: Person;

beforeAll(async () => {
  millrace = await startTestMillrace();
  colleague = await open((await millrace.createWorkspace()).key);
  stranger = await open((await millrace.createWorkspace()).key);
  owner = await join('member');
  reader = await join('read');
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function open(key: string): Promise<Person> {
  const call: Person['call'] = (method, path, body) => millrace.call(method, path, body, { key });
  const { body } = await call('GET', '/account');
  return { call, owner: { workspaceId: body.workspace_id, userId: body.user_id } };
}

async function join(role: string): Promise<Person> {
  const { body } = await colleague.call('POST', '/account/members', {
    display_name: role,
    role,
  });
  return open(body.api_key);
}

async function make(by: Person = owner, name = 'Move'): Promise<number> {
  const { body } = await by.call('POST', `/user/projects/create?name=${name}`);
  expect(body).toMatchObject({ name });
  return body.id;
}

async function insertFile(by: Person, status = 'COMPLETED'): Promise<string> {
  const [stored, id] = [randomUUID(), randomUUID()];
  const { workspaceId, userId } = by.owner;
  const { db } = millrace.services;
  await sql`insert into stored_file (id, workspace_id, name, media_type, byte_count)
    values (${stored}, ${workspaceId}, 'plan.txt', 'text/plain', 4)`.execute(db);
  await sql`insert into user_file (id, workspace_id, user_id, stored_file_id, name, media_type,
      chat_file_type, status, text, token_count)
    values (${id}, ${workspaceId}, ${userId}, ${stored}, 'plan.txt', 'text/plain', 'plain_text',
      ${status}, 'The van comes at nine.', 6)`.execute(db);
  return id;
}

async function insertSession(by: Person, projectId: number | null = null): Promise<string> {
  const id = randomUUID();
  const { workspaceId, userId } = by.owner;
  await sql`insert into chat_session (id, workspace_id, user_id, title, project_id)
    values (${id}, ${workspaceId}, ${userId}, 'When comes the van?', ${projectId})`.execute(
    millrace.services.db,
  );
  return id;
}

const idsOf = (answer: Answer): unknown[] => answer.body.map(({ id }: { id: unknown }) => id);

describe('a project', () => {
  it.each<[string, string, unknown, string]>([
    ['no name', '', undefined, 'query.name'],
    ['a blank name', '?name=%20', undefined, 'query.name'],
    ['a name of 201 characters', `?name=${'n'.repeat(201)}`, undefined, 'query.name'],
    ['a line break in its name', '?name=a%0Ab', undefined, 'query.name'],
    ['a name that is no text', '', { name: 5 }, 'body.name'],
    [
      '50,001 characters of instructions',
      '?name=a',
      { instructions: 'x'.repeat(50_001) },
      'body.instructions',
    ],
    ['half a surrogate pair', '?name=a', { description: '\uD800' }, 'body.description'],
  ])('with %s is refused and not made', async (_, query, body, words) => {
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
        user_id: owner.owner.userId,
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
    expect(await findProject(millrace.services.db, owner.owner, whole.body.id)).toEqual({
      id: whole.body.id,
      name: 'Whole',
      instructions: 'Be brief.',
    });
  });

  it('keeps what a change leaves out', async () => {
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

  it('has instructions that are set, read and removed by themselves', async () => {
    const path = `/user/projects/${await make()}/instructions`;
    expect((await owner.call('GET', path)).body).toEqual({ instructions: null });
    const set = await owner.call('POST', path, { instructions: 'In French.' });
    expect(set.body).toEqual({ instructions: 'In French.' });
    expect((await owner.call('GET', path)).body).toEqual({ instructions: 'In French.' });
    expect((await owner.call('POST', path, { instructions: ' ' })).body).toEqual({
      instructions: null,
    });
  });

  it("is nobody's but its owner's: not an admin's of the workspace, nor a stranger's", async () => {
    const id = await make();
    const [file, session] = [await insertFile(owner), await insertSession(owner, id)];
    await owner.call('POST', `/user/projects/${id}/files/${file}`);
    const before = await owner.call('GET', `/user/projects/${id}/details`);
    for (const person of [colleague, stranger]) {
      const theirs = await insertFile(person);
      const theirSession = await insertSession(person);
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
      expect(await findProject(millrace.services.db, person.owner, id)).toBeNull();
    }
    expect((await owner.call('GET', `/user/projects/${id}/details`)).body).toEqual(before.body);
  });

  it('takes in no files and conversations of others', async () => {
    const id = await make();
    for (const person of [colleague, stranger]) {
      const [file, session] = [await insertFile(person), await insertSession(person)];
      const added = await owner.call('POST', `/user/projects/${id}/files/${file}`);
      const moved = await owner.call('POST', `/user/projects/${id}/move_chat_session`, {
        chat_session_id: session,
      });
      expect([added.status, moved.status]).toEqual([404, 404]);
    }
    const { body } = await owner.call('GET', `/user/projects/${id}/details`);
    expect([body.files, body.project.chat_sessions]).toEqual([[], []]);
  });

  it('may be looked at but not changed with a key that reads', async () => {
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

  it('takes its conversations with it when it is deleted, and leaves the files', async () => {
    const id = await make();
    const [file, inside, outside] = [
      await insertFile(owner),
      await insertSession(owner, id),
      await insertSession(owner),
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

  it('is one of 500 of a user at most, however many are made at once', async () => {
    const person = await join('member');
    await sql`insert into project (workspace_id, user_id, name)
      select ${person.owner.workspaceId}, ${person.owner.userId}, 'P' || n
      from generate_series(1, 498) n`.execute(millrace.services.db);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => person.call('POST', '/user/projects/create?name=More')),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
  });
});

describe('the files of a project', () => {
  it('are those that were added, each once, until they are taken out', async () => {
    const id = await make();
    const [first, second] = [await insertFile(owner), await insertFile(owner, 'PROCESSING')];
    const added = await owner.call('POST', `/user/projects/${id}/files/${first.toUpperCase()}`);
    expect([added.status, added.body]).toEqual([
      200,
      expect.objectContaining({
        id: first,
        name: 'plan.txt',
        status: 'COMPLETED',
        chat_file_type: 'plain_text',
        file_type: 'text/plain',
        token_count: 6,
        user_id: owner.owner.userId,
        temp_id: null,
      }),
    ]);
    expect(added.text).not.toContain('The van');
    await owner.call('POST', `/user/projects/${id}/files/${first}`);
    await owner.call('POST', `/user/projects/${id}/files/${second}`);
    const listed = await owner.call('GET', `/user/projects/files/${id}`);
    expect(idsOf(listed)).toEqual([first, second]);
    const details = await owner.call('GET', `/user/projects/${id}/details`);
    expect(details.body.files).toEqual(listed.body);
    expect((await owner.call('DELETE', `/user/projects/${id}/files/${first}`)).text).toBe('null');
    expect(idsOf(await owner.call('GET', `/user/projects/files/${id}`))).toEqual([second]);
  });

  it('are no files that are being deleted, or that do not exist', async () => {
    const id = await make();
    const dying = await insertFile(owner, 'DELETING');
    for (const file of [dying, randomUUID()])
      expect((await owner.call('POST', `/user/projects/${id}/files/${file}`)).status).toBe(404);
    expect((await owner.call('POST', `/user/projects/${id}/files/plan`)).status).toBe(400);
    expect((await owner.call('GET', `/user/projects/files/${id}`)).body).toEqual([]);
  });

  it('are told of a conversation that is in it, and of no other', async () => {
    const id = await make();
    const file = await insertFile(owner);
    await owner.call('POST', `/user/projects/${id}/files/${file}`);
    const filesOf = async (session: string) =>
      idsOf(await owner.call('GET', `/user/projects/session/${session}/files`));
    expect(await filesOf(await insertSession(owner, id))).toEqual([file]);
    expect(await filesOf(await insertSession(owner))).toEqual([]);
    expect((await owner.call('GET', `/user/projects/session/${randomUUID()}/files`)).status).toBe(
      404,
    );
  });
});

describe('the conversations of a project', () => {
  it('are moved in and out, and shown the last one first', async () => {
    const [id, other] = [await make(), await make()];
    const [older, newer] = [await insertSession(owner), await insertSession(owner)];
    await sql`update chat_session set updated_at = now() + interval '1 minute'
      where id = ${newer}`.execute(millrace.services.db);
    for (const session of [newer, older]) {
      const moved = await owner.call('POST', `/user/projects/${id}/move_chat_session`, {
        chat_session_id: session,
      });
      expect([moved.status, moved.text]).toEqual([200, 'null']);
    }
    const shown = async (project: number) =>
      (await owner.call('GET', `/user/projects/${project}`)).body.chat_sessions;
    expect(await shown(id)).toMatchObject([
      { id: newer, name: 'When comes the van?', persona_id: 0, shared_status: 'private' },
      { id: older, current_alternate_model: null, current_temperature_override: null },
    ]);
    await owner.call('POST', `/user/projects/${other}/move_chat_session`, {
      chat_session_id: older,
    });
    await owner.call('POST', '/user/projects/remove_chat_session', { chat_session_id: newer });
    expect(await shown(id)).toEqual([]);
    expect(await shown(other)).toMatchObject([{ id: older }]);
    const { body } = await owner.call('GET', `/user/projects/${other}/details`);
    expect(body.persona_id_to_is_featured).toEqual({ 0: true });
  });

  it('are not those that were deleted', async () => {
    const id = await make();
    const session = await insertSession(owner, id);
    await sql`update chat_session set deleted_at = now() where id = ${session}`.execute(
      millrace.services.db,
    );
    expect((await owner.call('GET', `/user/projects/${id}`)).body.chat_sessions).toEqual([]);
    const moved = await owner.call('POST', `/user/projects/${id}/move_chat_session`, {
      chat_session_id: session,
    });
    expect(moved.status).toBe(404);
  });
});
