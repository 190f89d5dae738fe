import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

const PATH = '/chat/session';

let stage: ChatStage;
let owner: ChatUser;
beforeAll(async () => {
  stage = await startChatStage();
  owner = await stage.openUser();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Listed {
  sessions: { session_id: string; title: string }[];
  total: number;
}

describe('a request for a session', () => {
  it.each<[string, unknown, string]>([
    ['no body', undefined, 'no body'],
    ['a body that is not an object', 'title', 'body'],
    ['a title that is not text', { title: 5 }, 'body.title'],
    ['a title of 501 characters', { title: 'x'.repeat(501) }, 'body.title'],
  ])('with %s is refused and creates nothing', async (_, body, words) => {
    const user = await stage.openUser();
    const refused = await user.call('POST', PATH, body);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
    expect((await user.call('GET', PATH)).body).toEqual({ sessions: [], total: 0 });
  });

  it('is answered with the session, which the platform family shows too', async () => {
    const made = await owner.call('POST', PATH, { title: ' Coffee\0 ', model: 'unknown' });
    expect(made.body).toEqual({
      session_id: expect.stringMatching(/^[\da-f-]{36}$/),
      title: 'Coffee',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    const path = `/chat/get-chat-session/${made.body.session_id}`;
    expect((await owner.call('GET', path)).body).toMatchObject({
      description: 'Coffee',
      persona_id: 0,
    });
    expect((await owner.call('POST', PATH, {})).body.title).toBe('');
  });
});

describe('the list of sessions', () => {
  it.each([
    ['limit=0', 'query.limit'],
    ['limit=1001', 'query.limit'],
    ['cursor=x', 'query.cursor'],
    [`cursor=${Buffer.from(`1:${'-'.repeat(36)}`).toString('base64url')}`, 'query.cursor'],
  ])('with %s is refused', async (query, field) => {
    const refused = await owner.call('GET', `${PATH}?${query}`);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(field)]);
  });

  it("holds the caller's own sessions with message counts, without deleted ones", async () => {
    const user = await stage.openUser();
    const colleague = await user.colleague();
    await colleague.createSession();
    const deleted = await user.createSession();
    await user.call('DELETE', `/chat/delete-chat-session/${deleted}`);
    const empty = await user.createSession();
    const used = await user.createSession();
    const question = await stage.addMessage(used, {
      role: 'user',
      content: '# What *is* it?\nI ask',
    });
    await stage.addMessage(used, { role: 'assistant', content: 'A1' });
    await stage.addMessage(used, { role: 'assistant', content: 'A2', parentId: question });
    const { db } = stage.millrace.services;
    await sql`update chat_message set created_at = '2030-01-02T03:04:05.678Z'
      where id = (select max(id) from chat_message where chat_session_id = ${used})`.execute(db);
    const { body } = await user.call('GET', PATH);
    expect(body).toEqual({
      sessions: [
        {
          session_id: used,
          title: 'What *is* it? I ask',
          created_at: expect.any(String),
          last_message_at: '2030-01-02T03:04:05.678Z',
          message_count: 3,
        },
        {
          session_id: empty,
          title: '',
          created_at: expect.any(String),
          last_message_at: expect.any(String),
          message_count: 0,
        },
      ],
      total: 2,
    });
    expect(body.sessions[1].last_message_at).toBe(body.sessions[1].created_at);
  });

  it('is paged through its Link header without gaps or repeats', async () => {
    const user = await stage.openUser();
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) made.push(await user.createSession());
    await sql`update chat_session set updated_at = '2026-03-01T10:00:00.000001Z'
      where user_id = ${user.userId} and id <> ${made[0]}`.execute(stage.millrace.services.db);
    const seen: string[] = [];
    let query: string | undefined = '?limit=2';
    for (let page = 0; page < 10 && query !== undefined; page += 1) {
      const { body, headers } = await user.call('GET', `${PATH}${query}`);
      const listed = body as Listed;
      expect(listed.total).toBe(7);
      seen.push(...listed.sessions.map(({ session_id: id }) => id));
      query = /^<(\?limit=2&cursor=[\w-]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen[0]).toBe(made[0]);
    expect(seen).toHaveLength(7);
    expect(new Set(seen)).toEqual(new Set(made));
  });
});

describe('deleting a session', () => {
  it('removes it permanently, and is 404 for colleagues and strangers', async () => {
    const { body } = await owner.call('POST', PATH, { title: 'Coffee' });
    const path = `${PATH}/${body.session_id}`;
    for (const user of [await owner.colleague('admin'), await stage.openUser()]) {
      const refused = await user.call('DELETE', path);
      expect([refused.status, refused.body.error_code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(
      (await owner.call('DELETE', path.toUpperCase().replace(PATH.toUpperCase(), PATH))).body,
    ).toEqual({
      status: 'deleted',
      session_id: body.session_id,
    });
    expect((await owner.call('DELETE', path)).status).toBe(404);
    expect(await stage.countRows('chat_message', `chat_session_id = '${body.session_id}'`)).toBe(0);
  });

  it.each(['1', 'null', '%F0%9F%92%A9', randomUUID()])('by the id %s is 404', async (id) => {
    expect((await owner.call('DELETE', `${PATH}/${id}`)).status).toBe(404);
  });
});
