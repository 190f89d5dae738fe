import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

let stage: ChatStage;
let owner: ChatUser;
let colleague: ChatUser;
beforeAll(async () => {
  stage = await startChatStage();
  owner = await stage.openUser();
  colleague = await owner.colleague();
});
afterAll(() => stage[Symbol.asyncDispose]());

const remove = (id: string, query = '', user = owner) =>
  user.call('DELETE', `/chat/delete-chat-session/${id}${query}`);
const read = (id: string, query = '', user = owner) =>
  user.call('GET', `/chat/get-chat-session/${id}${query}`);

/** A session with an answer that another, invisible process is writing. */
async function startAnswer(): Promise<{ id: string; run: number }> {
  const id = await owner.createSession({ description: 'Zyzzyva' });
  await stage.addMessage(id, { role: 'user', content: 'zyzzyva' });
  const run = await stage.addMessage(id, { role: 'assistant', content: '', isUnfinished: true });
  await sql`insert into chat_run (chat_message_id, workspace_id, chat_session_id, alive_until)
    values (${run}, ${owner.workspaceId}, ${id}, now() + interval '1 minute')`.execute(
    stage.millrace.services.db,
  );
  return { id, run };
}

describe('deleting a chat session', () => {
  it.each(['hard_delete=perhaps', 'hard_delete='])('with %s is refused', async (query) => {
    const id = await owner.createSession();
    const refused = await remove(id, `?${query}`);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringContaining('query.hard_delete'),
    ]);
    expect((await read(id)).status).toBe(200);
  });

  it('hides it everywhere, except from its owner who asks for deleted sessions', async () => {
    const { id, run } = await startAnswer();
    await owner.call('PATCH', `/chat/chat-session/${id}`, { sharing_status: 'public' });
    const deleted = await remove(id);
    expect([deleted.status, deleted.text]).toEqual([200, 'null']);
    expect((await read(id)).status).toBe(404);
    for (const query of ['?is_shared=true', '?is_shared=true&include_deleted=true'])
      expect((await read(id, query, colleague)).status).toBe(404);
    const listed = [
      await owner.call('GET', '/chat/get-user-chat-sessions?include_failed_chats=true'),
      await owner.call('GET', '/chat/search?query=zyzzyva'),
      await owner.call('GET', '/chat/session'),
    ];
    for (const { text } of listed) expect(text).not.toContain(id);
    const { body } = await read(id, '?include_deleted=true');
    expect(body).toMatchObject({ deleted: true, description: 'Zyzzyva' });
    expect(body.messages).toHaveLength(3);
    const again = await remove(id);
    expect([again.status, again.body.error_code]).toEqual([404, 'NOT_FOUND']);
    const name = { chat_session_id: id, name: 'Back' };
    expect((await owner.call('PUT', '/chat/rename-chat-session', name)).status).toBe(404);
    const stopped = `chat_message_id = ${run} and stop_requested_at is not null`;
    expect(await stage.countRows('chat_run', stopped)).toBe(1);
  });

  it('permanently leaves no rows, even when it was hidden before or an answer is being written', async () => {
    const hidden = await owner.createSession();
    await remove(hidden);
    const { id, run } = await startAnswer();
    for (const one of [hidden, id]) {
      expect((await remove(one, '?hard_delete=true')).text).toBe('null');
      expect((await read(one, '?include_deleted=true')).status).toBe(404);
      expect(await stage.countRows('chat_message', `chat_session_id = '${one}'`)).toBe(0);
    }
    expect(await stage.countRows('chat_run', `chat_message_id = ${run}`)).toBe(0);
    expect((await remove(id, '?hard_delete=true')).status).toBe(404);
  });

  it('several times at once deletes it once', async () => {
    const id = await owner.createSession();
    const answers = await Promise.all([remove(id), remove(id), remove(id)]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  });

  it('in bulk removes only the user’s own sessions', async () => {
    const user = await owner.colleague();
    const other = await owner.createSession();
    const ids = [await user.createSession(), await user.createSession()];
    const all = (query = '') => user.call('DELETE', `/chat/delete-all-chat-sessions${query}`);
    expect((await all()).text).toBe('null');
    for (const id of ids) {
      expect((await read(id, '', user)).status).toBe(404);
      expect((await read(id, '?include_deleted=true', user)).body.deleted).toBe(true);
    }
    expect((await all('?hard_delete=true')).text).toBe('null');
    expect(await stage.countRows('chat_session', `user_id = '${user.userId}'`)).toBe(0);
    expect((await all()).status).toBe(200);
    expect((await read(other)).status).toBe(200);
  });

  it('is refused for read-only keys', async () => {
    const reader = await owner.colleague('read');
    const id = await reader.createSession();
    for (const path of [
      `/chat/delete-chat-session/${id}`,
      '/chat/delete-all-chat-sessions',
      `/chat/session/${id}`,
    ])
      expect((await reader.call('DELETE', path)).status, path).toBe(403);
    expect((await read(id, '', reader)).status).toBe(200);
  });
});
