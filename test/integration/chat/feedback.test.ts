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
    ['a message id in words', { is_positive: true, chat_message_id: 'x' }, 'body.chat_message_id'],
    [
      'a message id out of range',
      { is_positive: true, chat_message_id: 2 ** 31 },
      'chat_message_id',
    ],
    ['no rating', {}, 'body.is_positive'],
    ['only blank text', { feedback_text: ' \0 ' }, 'body.is_positive'],
    ['only a predefined reason', { predefined_feedback: 'Wrong' }, 'body.is_positive'],
    ['a rating in words', { is_positive: 'yes' }, 'body.is_positive'],
    ['text that is too long', { feedback_text: 'x'.repeat(10_001) }, 'body.feedback_text'],
  ])('with %s is refused', async (_, body, field) => {
    const refused = await give({ chat_message_id: answer, ...body });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(field);
    expect(await stored()).toBe(0);
  });

  it('is refused for a question and for a root', async () => {
    for (const id of [question, await stage.rootOf(sessionId)]) {
      const refused = await give({ chat_message_id: id, is_positive: true });
      expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('cannot be given or withdrawn by a colleague or a stranger, even when the session is shared', async () => {
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

  it('is one per answer: the last one counts, and withdrawing it twice is allowed', async () => {
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

  it('sent many times at once is stored once', async () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      give({ chat_message_id: answer, is_positive: index % 2 === 0 }),
    );
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await stored()).toBe(1);
    await takeBack(answer);
  });

  it.each(['x', '-1', '99999999999', '2147483647'])(
    'for the message %s cannot be withdrawn',
    async (id) => {
      expect((await takeBack(id)).status).toBe(id === '2147483647' ? 404 : 400);
    },
  );

  it('is deleted with its session', async () => {
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
