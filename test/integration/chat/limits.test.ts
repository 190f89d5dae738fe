import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';
import { cpuMsUntil } from '#test/support/cpu-ms.ts';
import {
  answersText,
  lastQuestion,
  type ScriptedLlm,
  startScriptedLlm,
} from '#test/support/scripted-llm.ts';
import { sendFiles } from '#test/support/upload-files.ts';
import { until } from '#test/support/until.ts';

let llm: ScriptedLlm;
let stage: ChatStage;
let user: ChatUser;
let fileIds: string[];

beforeAll(async () => {
  llm = await startScriptedLlm(answersText('An answer.'));
  stage = await startChatStage({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  user = await stage.openUser();
  const parts = Array.from({ length: 50 }, (_, n): [string, string] => [
    `notes ${n}.txt`,
    `File ${n} of fifty. ${'word '.repeat(5_000)}`,
  ]);
  const path = '/user/projects/file/upload';
  const { body } = await sendFiles(stage.millrace, path, parts, { key: user.key });
  fileIds = body.user_files.map((file: { file_id: string }) => file.file_id);
  await until(async () => {
    const rows = await user.call('GET', '/user/files/recent');
    return rows.body.every(({ status }: { status: string }) => status === 'COMPLETED');
  });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});
beforeEach(() => {
  llm.calls.length = 0;
});

const NO_TOOLS: object = { allowed_tool_ids: [], stream: false };
const send = (body: object) =>
  user.call('POST', '/chat/send-chat-message', { message: 'Hello', ...NO_TOOLS, ...body });
const headers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-header-${n}`, 'v'.repeat(8_000)]));
const nested = (depth: number) =>
  `{"message":"Hello","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('a body at its limits', () => {
  it.each<[string, () => object]>([
    ['a message of 100,000 characters', () => ({ message: 'm'.repeat(100_000) })],
    ['a message of 100,000 emoji halves', () => ({ message: '💥'.repeat(50_000) })],
    ['a context of 100,000 characters', () => ({ additional_context: 'c '.repeat(50_000) })],
    ['both', () => ({ message: 'é'.repeat(100_000), additional_context: '<'.repeat(100_000) })],
    ['50 headers', () => ({ mcp_headers: headers(50) })],
    [
      '100 unknown tools',
      () => ({ allowed_tool_ids: Array.from({ length: 100 }, (_, n) => n + 5_000) }),
    ],
    [
      'many unknown keys',
      () => ({ x: Object.fromEntries(Object.entries(headers(2_000)).map(([key]) => [key, 1])) }),
    ],
    ['50 files', () => ({ file_descriptors: fileIds })],
    ['the same file 50 times', () => ({ file_descriptors: fileIds.map(() => fileIds[0]) })],
    ['a NUL and half a surrogate pair in its message', () => ({ message: 'a\u0000b\ud800c' })],
    ['other scripts and marks', () => ({ message: 'مرحبا \u202e abc \u0301\u0301\u0301 ﷽' })],
  ])('%s is answered', async (_, more) => {
    const { status, body, text } = await send(more());
    expect([status, text.slice(0, 300)]).toEqual([200, expect.stringContaining('An answer.')]);
    expect(body.error_msg).toBeNull();
    const { body: session } = await user.call(
      'GET',
      `/chat/get-chat-session/${body.chat_session_id}`,
    );
    expect(session.messages).toHaveLength(3);
  });

  it('is cut for the model, but the question is kept', async () => {
    await send({
      message: `${'m'.repeat(50)} ${'word '.repeat(15_000)} the end of it.`,
      additional_context: 'context '.repeat(12_000),
      file_descriptors: fileIds,
    });
    const [call] = llm.calls;
    if (!call) throw new Error('The model was not called.');
    const question = lastQuestion(call.body);
    expect(question.startsWith('<attachment')).toBe(true);
    expect(question).toContain('the end of it.');
    expect(question).toMatch(/\[Cut: \d+ of \d+ characters were left out here\.\]/);
    // Four characters per token, and a context of 128,000 tokens.
    expect(JSON.stringify(call.body).length).toBeLessThan(128_000 * 6);
  });
});

describe('a body beyond its limits', () => {
  it.each<[string, () => object, RegExp]>([
    ['a message that is too long', () => ({ message: 'm'.repeat(100_001) }), /body\.message/],
    ['a blank message', () => ({ message: ' \n\t' }), /body\.message/],
    [
      'a context that is too long',
      () => ({ additional_context: 'c'.repeat(100_001) }),
      /additional_context/,
    ],
    ['100 long headers', () => ({ mcp_headers: headers(100) }), /mcp_headers/],
    [
      'a header that is too long',
      () => ({ mcp_headers: { a: 'v'.repeat(500_000) } }),
      /mcp_headers/,
    ],
    ['51 files', () => ({ file_descriptors: [...fileIds, fileIds[0]] }), /file_descriptors/],
    [
      '101 tools',
      () => ({ allowed_tool_ids: Array.from({ length: 101 }, (_, n) => n) }),
      /allowed_tool_ids/,
    ],
    ['a tool id out of range', () => ({ forced_tool_id: 1e21 }), /forced_tool_id/],
    ['a temperature out of range', () => ({ llm_override: { temperature: 1e308 } }), /temperature/],
    [
      'a model name that is too long',
      () => ({ llm_override: { model_version: 'x'.repeat(500_000) } }),
      /llm_override/,
    ],
    ['a list instead of an object', () => ({ chat_session_info: [] }), /chat_session_info/],
  ])('%s is refused with a short error', async (_, more, field) => {
    const { status, body, text } = await send(more());
    expect(status).toBe(400);
    expect(body.detail).toMatch(field);
    expect(text.length).toBeLessThan(2_000);
    expect(llm.calls).toEqual([]);
  });

  it.each([500, 100_000])('JSON that is nested %i deep does no harm', async (depth) => {
    const { status, text } = await user.call('POST', '/chat/send-chat-message', nested(depth));
    expect([200, 400], text.slice(0, 300)).toContain(status);
  });
});

describe('a session of 2,000 long messages', () => {
  it('is answered at once, with its latest messages', async () => {
    const sessionId = await user.createSession();
    const { db } = stage.millrace.services;
    await sql`with root as (select id, workspace_id from chat_message
        where chat_session_id = ${sessionId} and parent_id is null),
      made as (insert into chat_message (id, workspace_id, chat_session_id, parent_id, latest_child_id, role,
        content, citations, files, created_at, finished_at)
      overriding system value
      select root.id + 100000 + n, root.workspace_id, ${sessionId}::uuid,
        case when n = 1 then root.id else root.id + 99999 + n end,
        case when n = 2000 then null else root.id + 100001 + n end,
        case when n % 2 = 1 then 'user' else 'assistant' end,
        'Message ' || n || ': ' || repeat('some words of it ', 600), '{}', '[]', now(), now()
      from root, generate_series(1, 2000) n returning id)
      update chat_message set latest_child_id = (select min(id) from made)
      where chat_session_id = ${sessionId} and parent_id is null`.execute(db);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const sending = send({ chat_session_id: sessionId });
      times.push(await cpuMsUntil(sending));
      expect((await sending).body).toMatchObject({ answer: 'An answer.', error_msg: null });
    }
    const sent = JSON.stringify(llm.calls[0]?.body);
    expect(sent).toContain('Message 2000:');
    expect(sent).not.toContain('Message 1:');
    expect(sent.length).toBeLessThan(128_000 * 6);
    expect(Math.min(...times)).toBeLessThan(5_000);
  });
});
