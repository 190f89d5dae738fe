import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

let stage: ChatStage;
let owner: ChatUser;
let sessionId: string;
let question: number;
let answer: number;
beforeAll(async () => {
  stage = await startChatStage();
  owner = await stage.openUser();
  sessionId = await owner.createSession();
  question = await stage.addMessage(sessionId, { role: 'user', content: 'Q' });
  answer = await stage.addMessage(sessionId, { role: 'assistant', content: 'A' });
});
afterAll(() => stage[Symbol.asyncDispose]());

const give = (body: object, user = owner) =>
  user.call('POST', '/chat/create-chat-message-feedback', body);
const takeBack = (messageId: number | string, user = owner) =>
  user.call('DELETE', `/chat/remove-chat-message-feedback?chat_message_id=${messageId}`);

async function current(): Promise<string | null> {
  const { body } = await owner.call('GET', `/chat/get-chat-session/${sessionId}`);
  return body.messages.at(-1).current_feedback;
}
const stored = () => stage.countRows('chat_feedback', `chat_message_id = ${answer}`);

describe('feedback on an answer', () => {
  it.each<[string, object, string]>([
    ['no message', { is_positive: true, chat_message_id: undefined }, 'body.chat_message_id'],
    ['a message in words', { is_positive: true, chat_message_id: 'x' }, 'body.chat_message_id'],
    ['a message beyond any', { is_positive: true, chat_message_id: 2 ** 31 }, 'chat_message_id'],
    ['no opinion', {}, 'body.is_positive'],
    ['blank words alone', { feedback_text: ' \0 ' }, 'body.is_positive'],
    ['a ready-made reason alone', { predefined_feedback: 'Wrong' }, 'body.is_positive'],
    ['an opinion in words', { is_positive: 'yes' }, 'body.is_positive'],
    ['too many words', { feedback_text: 'x'.repeat(10_001) }, 'body.feedback_text'],
  ])('with %s is refused', async (_, body, field) => {
    const refused = await give({ chat_message_id: answer, ...body });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(field);
    expect(await stored()).toBe(0);
  });

  it('is not for a question, and not for a root', async () => {
    for (const id of [question, await stage.rootOf(sessionId)]) {
      const refused = await give({ chat_message_id: id, is_positive: true });
      expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('is not for a colleague or a stranger to give or take, even when the session is shared', async () => {
    await give({ chat_message_id: answer, is_positive: true });
    const share = (status: string) =>
      owner.call('PATCH', `/chat/chat-session/${sessionId}`, { sharing_status: status });
    await share('public');
    for (const user of [await owner.colleague('admin'), await stage.openUser()]) {
      expect((await give({ chat_message_id: answer, is_positive: false }, user)).status).toBe(404);
      expect((await takeBack(answer, user)).status).toBe(404);
    }
    await share('private');
    expect(await current()).toBe('like');
    await takeBack(answer);
  });

  it('is one for each answer: the last word counts, and it may be taken back twice', async () => {
    expect((await give({ chat_message_id: answer, is_positive: true })).text).toBe('null');
    expect(await current()).toBe('like');
    const words = { is_positive: false, feedback_text: 'No\0pe', predefined_feedback: 'Wrong' };
    await give({ chat_message_id: answer, ...words });
    expect(await current()).toBe('dislike');
    await give({ chat_message_id: answer, is_positive: null, feedback_text: 'Hm' });
    expect(await current()).toBeNull();
    expect(await stored()).toBe(1);
    expect((await takeBack(answer)).text).toBe('null');
    expect(await stored()).toBe(0);
    expect((await takeBack(answer)).status).toBe(200);
  });

  it('of many at once leaves one', async () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      give({ chat_message_id: answer, is_positive: index % 2 === 0 }),
    );
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await stored()).toBe(1);
    await takeBack(answer);
  });

  it.each(['x', '-1', '99999999999', '2147483647'])(
    'for the message %s is not there to take back',
    async (id) => {
      expect((await takeBack(id)).status).toBe(id === '2147483647' ? 404 : 400);
    },
  );

  it('ends with its session', async () => {
    const id = await owner.createSession();
    await stage.addMessage(id, { role: 'user', content: 'Q' });
    const told = await stage.addMessage(id, { role: 'assistant', content: 'A' });
    await give({ chat_message_id: told, is_positive: true });
    await owner.call('DELETE', `/chat/delete-chat-session/${id}`);
    expect((await give({ chat_message_id: told, is_positive: true })).status).toBe(404);
    await owner.call('DELETE', `/chat/delete-chat-session/${id}?hard_delete=true`);
    expect(await stage.countRows('chat_feedback', `chat_message_id = ${told}`)).toBe(0);
  });
});
