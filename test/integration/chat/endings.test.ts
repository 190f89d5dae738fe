import { afterAll, beforeAll, expect, it } from 'vitest';

import { cutNote } from '#src/chat/steps/cut-note.ts';
import { orderOf, readChatBody } from '#test/support/chat-streams.ts';
import {
  END_EVENTS,
  endEvents,
  type LlmScript,
  plays,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let llm: ScriptedLlm;
let script: LlmScript;
let millrace: TestMillrace;

beforeAll(async () => {
  llm = await startLlm(() => script);
  millrace = await startTestMillrace({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

const ask = (path: string, stream: boolean) =>
  millrace.call('POST', path, { message: 'Which berth?', stream, allowed_tool_ids: [] });
const CHAT = '/chat/send-chat-message';

it('an answer that the model cut off says so to every reader, and to anyone who opens the session later', async () => {
  script = plays(textEvent('```ts\nconst berth ='), endEvents('length'));
  const stop = { type: 'stop', stop_reason: 'length' };
  for (const path of [CHAT, `/api${CHAT}`]) {
    const { status, text } = await ask(path, true);
    expect(readChatBody(status, text).packets.at(-1)?.obj).toEqual(stop);
  }
  const answer = `\`\`\`ts\nconst berth =${cutNote('```')}`;
  const { body: whole } = await ask(CHAT, false);
  expect(whole).toMatchObject({ answer, error_msg: null });
  const session = await millrace.call('GET', `/chat/get-chat-session/${whole.chat_session_id}`);
  expect(session.body.messages.at(-1)).toMatchObject({ message: answer, error: null });
  expect(session.body.packets.at(-1).at(-1).obj).toEqual(stop);
});

it('thinking between tags counts as reasoning, streamed or not', async () => {
  const pieces = ['<thi', 'nk>\nHm.', '\n</', 'think>\n\nUse `<think>`', '.'];
  script = plays(...pieces.map(textEvent), END_EVENTS);
  const { status, text } = await ask(CHAT, true);
  expect(orderOf(readChatBody(status, text))).toContain('T0.0 reasoning_done');
  const { body: whole } = await ask(CHAT, false);
  expect(whole).toMatchObject({ answer: 'Use `<think>`.', pre_answer_reasoning: '\nHm.\n' });
});
