// @module-tag smoke
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

let stage: ChatStage;
let owner: ChatUser;
let colleague: ChatUser;
let stranger: ChatUser;
beforeAll(async () => {
  stage = await startChatStage();
  owner = await stage.openUser();
  colleague = await owner.colleague();
  stranger = await stage.openUser();
});
afterAll(() => stage[Symbol.asyncDispose]());

const LIST = '/chat/get-user-chat-sessions';
const pathOf = (id: string): string => `/chat/get-chat-session/${id}`;

async function idsOf(user: ChatUser, query = ''): Promise<string[]> {
  const { body } = await user.call('GET', `${LIST}${query}`);
  return body.sessions.map(({ id }: { id: string }) => id);
}

async function setUpdated(id: string, updated: string): Promise<void> {
  await sql`update chat_session set updated_at = ${updated}, created_at = ${updated}
    where id = ${id}`.execute(stage.millrace.services.db);
}

/** Every call that takes a session id. */
const ON_SESSION = (id: string): [string, string, unknown][] => [
  ['GET', pathOf(id), undefined],
  ['GET', `${pathOf(id)}?include_deleted=true&is_shared=true`, undefined],
  ['GET', `/chat/available-context-tokens/${id}`, undefined],
  ['PUT', '/chat/rename-chat-session', { chat_session_id: id, name: 'Mine' }],
  ['PUT', '/chat/rename-chat-session', { chat_session_id: id, name: null }],
  [
    'PUT',
    '/chat/update-chat-session-temperature',
    { chat_session_id: id, temperature_override: 1 },
  ],
  ['PUT', '/chat/update-chat-session-model', { chat_session_id: id, new_alternate_model: null }],
  ['PATCH', `/chat/chat-session/${id}`, { sharing_status: 'public' }],
  ['DELETE', `/chat/delete-chat-session/${id}`, undefined],
  ['DELETE', `/chat/delete-chat-session/${id}?hard_delete=true`, undefined],
];

describe('another user’s chat session', () => {
  it('is 404 on every path, for every caller, and stays unchanged', async () => {
    const id = await owner.createSession({ description: 'Secret plans' });
    await stage.addMessage(id, { role: 'user', content: 'zyzzyva' });
    const before = (await owner.call('GET', pathOf(id))).body;
    for (const user of [colleague, stranger]) {
      for (const [method, path, body] of ON_SESSION(id)) {
        const answer = await user.call(method, path, body);
        expect([answer.status, answer.body.error_code], `${method} ${path}`).toEqual([
          404,
          'NOT_FOUND',
        ]);
        expect(answer.text).not.toContain('Secret');
      }
      expect(await idsOf(user, '?only_non_project_chats=false')).not.toContain(id);
      expect((await user.call('GET', '/chat/search?query=zyzzyva')).body.groups).toEqual([]);
      expect((await user.call('DELETE', '/chat/delete-all-chat-sessions')).body).toBeNull();
    }
    expect((await owner.call('GET', pathOf(id))).body).toEqual(before);
  });

  it.each(['1', 'null', '%F0%9F%92%A9', '00000000-0000-0000-0000-00000000000g', randomUUID()])(
    'with the path id %s is 404',
    async (id) => {
      for (const [method, path, body] of ON_SESSION(id)) {
        if (path.endsWith(id) || path.includes(`${id}?`))
          expect((await owner.call(method, path, body)).status, `${method} ${path}`).toBe(404);
      }
    },
  );

  it('is readable within its workspace once it is shared, and nowhere else', async () => {
    const id = await owner.createSession({ description: 'Shared' });
    await stage.addMessage(id, { role: 'user', content: 'Hello' });
    const answer = await stage.addMessage(id, { role: 'assistant', content: 'Good day' });
    const liked = { chat_message_id: answer, is_positive: true };
    await owner.call('POST', '/chat/create-chat-message-feedback', liked);
    const shared = await owner.call('PATCH', `/chat/chat-session/${id}`, {
      sharing_status: 'public',
    });
    expect([shared.status, shared.text]).toEqual([200, 'null']);
    const seen = await colleague.call('GET', `${pathOf(id)}?is_shared=true`);
    expect(seen.body).toMatchObject({ description: 'Shared', shared_status: 'public' });
    expect(seen.body.messages.map(({ message }: { message: string }) => message)).toEqual([
      '',
      'Hello',
      'Good day',
    ]);
    expect(seen.body.messages[2].current_feedback).toBeNull();
    expect((await colleague.call('GET', pathOf(id))).status).toBe(404);
    expect((await stranger.call('GET', `${pathOf(id)}?is_shared=true`)).status).toBe(404);
    for (const [method, path, body] of ON_SESSION(id).slice(2)) {
      expect((await colleague.call(method, path, body)).status, `${method} ${path}`).toBe(404);
    }
    await owner.call('PATCH', `/chat/chat-session/${id}`, { sharing_status: 'private' });
    expect((await colleague.call('GET', `${pathOf(id)}?is_shared=true`)).status).toBe(404);
  });
});

describe('a request for a chat session', () => {
  it.each<[string, unknown, number, string]>([
    ['no body', undefined, 400, 'no body'],
    ['a list as the body', [], 400, 'body'],
    ['an unknown agent', { persona_id: 4711 }, 400, 'persona_id'],
    ['a negative agent id', { persona_id: -1 }, 400, 'body.persona_id'],
    ['an agent id out of range', { persona_id: 2 ** 31 }, 400, 'body.persona_id'],
    ['an agent id in words', { persona_id: 'default' }, 400, 'body.persona_id'],
    ['an unknown project', { project_id: 4711 }, 404, 'project_id'],
    ['a project id out of range', { project_id: 2 ** 53 }, 400, 'body.project_id'],
    ['a name of 501 characters', { description: 'x'.repeat(501) }, 400, 'body.description'],
  ])('with %s is refused and creates nothing', async (_, body, status, words) => {
    const user = await stage.openUser();
    const refused = await user.call('POST', '/chat/create-chat-session', body);
    expect(refused.status).toBe(status);
    expect(refused.body.detail).toContain(words);
    expect(await idsOf(user, '?include_failed_chats=true')).toEqual([]);
  });

  it("in a colleague's project is refused", async () => {
    const { rows } = await sql<{ id: number }>`insert into project (workspace_id, user_id, name)
      values (${owner.workspaceId}, ${owner.userId}, 'Mine') returning id`.execute(
      stage.millrace.services.db,
    );
    const body = { project_id: rows[0]?.id };
    expect((await colleague.call('POST', '/chat/create-chat-session', body)).status).toBe(404);
    const id = await owner.createSession(body);
    expect(await idsOf(owner)).not.toContain(id);
    expect(await idsOf(owner, `?project_id=${rows[0]?.id}`)).toEqual([id]);
    expect(await idsOf(owner, '?only_non_project_chats=false')).toContain(id);
    expect(await idsOf(colleague, `?project_id=${rows[0]?.id}`)).toEqual([]);
  });

  it("with a colleague's private agent is refused", async () => {
    const { rows } = await sql<{ id: number }>`
      insert into agent (workspace_id, created_by, name, is_public)
      values (${owner.workspaceId}, ${owner.userId}, 'Scribe', false) returning id`.execute(
      stage.millrace.services.db,
    );
    const body = { persona_id: rows[0]?.id };
    for (const user of [colleague, stranger]) {
      expect((await user.call('POST', '/chat/create-chat-session', body)).status).toBe(400);
      const path = `/chat/max-selected-document-tokens?persona_id=${rows[0]?.id}`;
      expect((await user.call('GET', path)).status).toBe(400);
    }
    const id = await owner.createSession(body);
    expect((await owner.call('GET', pathOf(id))).body).toMatchObject({
      persona_id: rows[0]?.id,
      persona_name: 'Scribe',
    });
  });

  it('may be empty, and its name is cleaned', async () => {
    const plain = await owner.createSession({});
    expect((await owner.call('GET', pathOf(plain))).body).toEqual({
      chat_session_id: plain,
      description: null,
      persona_id: 0,
      persona_name: 'Assistant',
      personal_icon_name: null,
      messages: [expect.objectContaining({ message_type: 'system', message: '' })],
      time_created: expect.any(String),
      shared_status: 'private',
      current_alternate_model: null,
      current_temperature_override: null,
      deleted: false,
      packets: [],
      owner_name: expect.any(String),
      current_run: null,
    });
    const odd = await owner.createSession({
      description: ' A\0 name\r\nof \uD800 two\u202E lines ',
      unknown: { field: 1 },
      project_id: null,
    });
    expect((await owner.call('GET', pathOf(odd))).body.description).toBe(
      'A name of \uFFFD two lines',
    );
    const blank = await owner.createSession({ description: ' \n ' });
    expect((await owner.call('GET', pathOf(blank))).body.description).toBeNull();
  });
});

describe('renaming a chat session', () => {
  const rename = (user: ChatUser, body: unknown) =>
    user.call('PUT', '/chat/rename-chat-session', body);

  it.each<[string, object]>([
    ['chat_session_id', { chat_session_id: 'x', name: 'A' }],
    ['chat_session_id', { name: 'A' }],
    ['name', { chat_session_id: randomUUID(), name: 7 }],
    ['name', { chat_session_id: randomUUID(), name: 'x'.repeat(501) }],
  ])('with a wrong %s is refused', async (field, body) => {
    const refused = await rename(owner, body);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(`body.${field}`);
  });

  it('sets the name, keeps its place in the list, and may be repeated', async () => {
    const user = await stage.openUser();
    const [first, second] = [await user.createSession(), await user.createSession()];
    await setUpdated(first, new Date(Date.now() - 60_000).toISOString());
    const { body } = await rename(user, { chat_session_id: first.toUpperCase(), name: ' New\0 ' });
    expect(body).toEqual({ new_name: 'New' });
    await rename(user, { chat_session_id: first, name: 'Newer' });
    const listed = (await user.call('GET', LIST)).body.sessions;
    expect(listed).toMatchObject([
      { id: second, name: null },
      { id: first, name: 'Newer' },
    ]);
  });

  it('without a name uses the first words of the first question', async () => {
    const id = await owner.createSession();
    expect((await rename(owner, { chat_session_id: id, name: null })).body).toEqual({
      new_name: 'New chat',
    });
    expect((await owner.call('GET', pathOf(id))).body.description).toBeNull();
    const question = '## How often\nshould I descale the coffee machine in the kitchen upstairs?';
    await stage.addMessage(id, { role: 'user', content: question });
    await stage.addMessage(id, { role: 'assistant', content: 'Every month.' });
    const { body } = await rename(owner, { chat_session_id: id });
    expect(body).toEqual({ new_name: 'How often should I descale the coffee machine in the…' });
    expect((await owner.call('GET', pathOf(id))).body.description).toBe(body.new_name);
  });
});

describe('the settings of a chat session', () => {
  it.each<[string, string, unknown]>([
    ['temperature', 'temperature_override', 2.1],
    ['temperature', 'temperature_override', -0.1],
    ['temperature', 'temperature_override', 'hot'],
    ['temperature', 'temperature_override', undefined],
    ['model', 'new_alternate_model', 'unknown-model'],
    ['model', 'new_alternate_model', 5],
    ['model', 'new_alternate_model', undefined],
  ])('refuse a wrong %s', async (name, field, value) => {
    const id = await owner.createSession();
    const path = `/chat/update-chat-session-${name}`;
    const refused = await owner.call('PUT', path, { chat_session_id: id, [field]: value });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(`body.${field}`);
  });

  it('can be set and reset', async () => {
    const id = await owner.createSession();
    const set = (value: number | null) =>
      owner.call('PUT', '/chat/update-chat-session-temperature', {
        chat_session_id: id,
        temperature_override: value,
      });
    expect((await set(0)).text).toBe('null');
    const { body } = await owner.call('GET', pathOf(id));
    expect(body.current_temperature_override).toBe(0);
    await set(null);
    expect((await owner.call('GET', pathOf(id))).body.current_temperature_override).toBeNull();
  });

  it('leave room for documents', async () => {
    const { body } = await owner.call('GET', '/chat/max-selected-document-tokens');
    expect(body).toEqual({ max_tokens: 96_000 });
    const id = await owner.createSession();
    const left = await owner.call('GET', `/chat/available-context-tokens/${id}`);
    expect(left.body).toEqual({ available_tokens: 96_000 });
  });
});
