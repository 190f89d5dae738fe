import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  answerError,
  answersText,
  endEvents,
  type LlmScript,
  playsAndBreaks,
  refusalEvent,
  plays,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { sendFiles } from '#test/support/upload-files.ts';

const SIMPLE = '/chat/send-message-simple-api';
const WITH_HISTORY = '/chat/send-message-simple-with-history';
const SEND = '/chat/send-message';
const NOBODY = '00000000-0000-4000-8000-000000000000';

let llm: ScriptedLlm;
let millrace: TestMillrace;
let script: LlmScript;

beforeAll(async () => {
  llm = await startLlm(() => script);
  millrace = await startTestMillrace({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'one' });
});
beforeEach(() => {
  script = answersText('Heard.');
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

const post = (path: string, body: unknown, options: object = {}) =>
  millrace.call('POST', path, body, options);
const ask = (body: object) => post('/chat/send-chat-message', { stream: false, ...body });

describe('a refusal from a deprecated endpoint', () => {
  it.each([
    ['no key', SIMPLE, { persona_id: 0, message: 'Hello?' }, { key: null }, 401],
    ['nothing to ask', SIMPLE, { persona_id: 0, message: '' }, {}, 400],
    ['no agent and no session', SIMPLE, { message: 'Hello?' }, {}, 400],
    ['an unknown session', SIMPLE, { chat_session_id: NOBODY, message: 'Hello?' }, {}, 404],
    ['no messages', WITH_HISTORY, { persona_id: 0, messages: [] }, {}, 400],
    ['no session, in the earlier format', SEND, { message: 'x', parent_message_id: null }, {}, 400],
    [
      'an unknown session, in the earlier format',
      `/api${SEND}`,
      { chat_session_id: NOBODY, message: 'x', search_doc_ids: null },
      {},
      404,
    ],
  ])('for %s also names the successor', async (_why, path, body, options, status) => {
    const answer = await post(path, body, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('deprecation')).toBe('@1769904000');
    expect(answer.headers.get('link')).toBe('</chat/send-chat-message>; rel="successor-version"');
  });

  it('differs from one of the current endpoint', async () => {
    const answer = await post(SEND, { session_id: NOBODY, message: 'Hello?' });
    expect([answer.status, answer.headers.get('deprecation')]).toEqual([404, null]);
  });
});

describe('the reference family, when the model fails', () => {
  async function send() {
    const { body } = await post('/chat/session', { title: 'Mine' });
    return post(SEND, { session_id: body.session_id, message: 'Hello?' });
  }

  it.each([
    ['refuses its key', answerError(401, 'Wrong key.')],
    ['asks for a long wait', answerError(429, 'Slow down.', { 'Retry-After': '3600' })],
    ['refuses to answer', plays(refusalEvent('No.'), endEvents())],
    ['says nothing', plays(endEvents())],
  ])('answers 502 while nothing has been said: the model %s', async (_how, failing) => {
    script = failing;
    const { status, headers, body } = await send();
    expect(status).toBe(502);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toMatchObject({ error_code: 'BAD_GATEWAY' });
    expect(body.detail).toMatch(/language model one/);
  });

  it('ends with an error line once something has been said', async () => {
    script = playsAndBreaks(textEvent('Half an answer, '));
    const { status, text } = await send();
    expect(status).toBe(200);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { type: 'chunk', content: 'Half an answer,' },
      { type: 'error', error_code: 'CONNECTION_ERROR' },
    ]);
  });
});

describe('a message without words', () => {
  const lastPrompt = (): string => String(llm.calls.at(-1)?.body.messages.at(-1)?.content);

  it.each([{}, { parent_message_id: null }, { parent_message_id: -1 }])(
    'is refused with %j',
    async (body) => {
      const answer = await ask({ message: ' \n', ...body });
      expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
      expect(answer.body.detail).toMatch(/^body.message: /);
    },
  );

  it('is refused below an answer, and repeats the question below an earlier one', async () => {
    const { body: first } = await ask({ message: 'Which way?' });
    const session = { chat_session_id: first.chat_session_id };
    const below = await ask({ ...session, message: '', parent_message_id: first.message_id });
    expect([below.status, below.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    const again = await ask({ ...session, message: '', parent_message_id: first.message_id - 1 });
    expect(again.body).toMatchObject({ answer: 'Heard.', error_msg: null });
    expect(lastPrompt()).toBe('Which way?');
  });

  it('may come with files', async () => {
    const upload = await sendFiles(millrace, '/user/projects/file/upload', [
      ['lion.txt', 'The lion code is 77.'],
    ]);
    const file_descriptors = [upload.body.user_files[0].file_id];
    const { body } = await ask({ message: '', file_descriptors });
    expect(body).toMatchObject({ answer: 'Heard.', error_msg: null, tool_calls: [] });
    expect(lastPrompt()).toContain('The lion code is 77.');
    expect(lastPrompt()).not.toContain('Question:');
  });

  it.each(['\u0000', '\u0007', '\u200b', '???'])(
    'that holds only unsearchable characters is answered: %j',
    async (message) => {
      const { status, body } = await ask({ message });
      expect(status).toBe(200);
      expect(body).toMatchObject({ answer: 'Heard.', error_msg: null });
    },
  );
});
