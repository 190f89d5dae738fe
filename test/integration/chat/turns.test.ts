// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answersText,
  lastQuestion,
  type ScriptedLlm,
  startLlm,
} from '#test/support/scripted-llm.ts';
import { buildPng } from '#test/support/build-images.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { sendFiles } from '#test/support/upload-files.ts';

let llm: ScriptedLlm;
let millrace: TestMillrace;

beforeAll(async () => {
  llm = await startLlm((body) => answersText(`Heard: ${lastQuestion(body).slice(-20)}`));
  millrace = await startTestMillrace({
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'small, large',
    LLM_PROVIDERS: JSON.stringify([
      { name: 'Other', base_url: llm.baseUrl, api_key: 'other-key', models: ['theirs'] },
    ]),
    CHAT_MODELS: 'fast=small,best=Other/theirs',
    LLM_VISION_MODEL: 'seer',
  });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

async function ask(message: string, body: object = {}, key = millrace.adminKey) {
  const answer = await millrace.call(
    'POST',
    '/chat/send-chat-message',
    { message, stream: false, allowed_tool_ids: [], ...body },
    { key },
  );
  return answer.body;
}

/** The messages of the last call to the model, without the system prompt. */
const lastPrompt = (): string[] =>
  (llm.calls.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${String(content)}`);

describe('the tree of a session', () => {
  it('continues after the last shown message, branches, and restarts', async () => {
    const first = await ask('One?');
    const session = { chat_session_id: first.chat_session_id };
    const second = await ask('Two?', session);
    expect(second.chat_session_id).toBe(first.chat_session_id);
    expect(lastPrompt()).toEqual(['user: One?', 'assistant: Heard: One?', 'user: Two?']);

    await ask('Two, again?', { ...session, parent_message_id: first.message_id });
    expect(lastPrompt()).toEqual(['user: One?', 'assistant: Heard: One?', 'user: Two, again?']);
    // The new branch is now the one shown.
    await ask('Three?', { ...session, parent_message_id: -1 });
    expect(lastPrompt()).toContain('user: Two, again?');
    expect(lastPrompt()).not.toContain('user: Two?');

    await ask('Anew?', { ...session, parent_message_id: null });
    expect(lastPrompt()).toEqual(['user: Anew?']);
    await ask('After that?', session);
    expect(lastPrompt()).toEqual(['user: Anew?', 'assistant: Heard: Anew?', 'user: After that?']);
  });

  it('answers an earlier message again, whatever the new message says', async () => {
    const first = await ask('Which way?');
    const session = { chat_session_id: first.chat_session_id };
    const { body } = await millrace.call('GET', `/chat/get-chat-session/${first.chat_session_id}`);
    const question = body.messages.find(
      (message: { message_type: string }) => message.message_type === 'user',
    );
    const { text } = await millrace.call('POST', '/api/chat/send-chat-message', {
      message: 'ignored',
      parent_message_id: question.message_id,
      allowed_tool_ids: [],
      stream: true,
      ...session,
    });
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ user_message_id: null });
    expect(lastPrompt()).toEqual(['user: Which way?']);
  });

  it('hides a session and its messages from everybody else', async () => {
    const first = await ask('Mine?');
    const { key } = await millrace.createWorkspace();
    const stolen = await ask('Yours?', { chat_session_id: first.chat_session_id }, key);
    expect(stolen).toMatchObject({ error_code: 'NOT_FOUND' });
    const mine = await ask('Other session?', {}, key);
    const crossed = await ask(
      'Below?',
      { chat_session_id: mine.chat_session_id, parent_message_id: first.message_id },
      key,
    );
    expect(crossed).toMatchObject({ error_code: 'BAD_REQUEST' });
    expect(crossed.detail).toMatch(/parent_message_id/);
  });

  it.each([false, true])('rejects a parent without a session; stream: %s', async (stream) => {
    const first = await ask('Anywhere?');
    expect(await ask('New?', { parent_message_id: first.message_id, stream })).toMatchObject({
      error_code: 'BAD_REQUEST',
      detail: expect.stringMatching(/^parent_message_id: /) as unknown,
    });
  });

  it('stays intact under two simultaneous messages', async () => {
    const first = await ask('Start?');
    const session = { chat_session_id: first.chat_session_id };
    const both = await Promise.all([ask('Left?', session), ask('Right?', session)]);
    expect(both.map(({ error_msg }) => error_msg)).toEqual([null, null]);
    const next = await ask('And now?', session);
    expect(next.error_msg).toBeNull();
    const prompt = lastPrompt().join('\n');
    // The two may be nested or siblings; the shown branch contains at least one of them.
    expect(prompt).toMatch(/Left\?|Right\?/);
  });
});

describe('the model of an answer', () => {
  it.each([
    [{}, 'small', undefined],
    [{ llm_override: null }, 'small', undefined],
    [{ llm_override: { model_version: 'large', temperature: 0.25 } }, 'large', 0.25],
    [{ llm_override: { model_provider: 'OTHER' } }, 'theirs', undefined],
    [{ llm_override: { model_provider: 'Other', model_version: 'theirs' } }, 'theirs', undefined],
  ])('with %j is %s', async (body, model, temperature) => {
    await ask('Who?', body);
    const call = llm.calls.at(-1);
    expect(call?.body['model']).toBe(model);
    expect(call?.body['temperature']).toBe(temperature);
    expect(call?.authorization).toBe(model === 'theirs' ? 'Bearer other-key' : undefined);
  });

  it.each([
    [{ model_version: 'theirs' }, /model_version.*"small", "large"/],
    [{ model_provider: 'Other', model_version: 'small' }, /model_version/],
    [{ model_provider: 'Nobody' }, /model_provider.*Other/],
  ])('%j is refused with the configured models', async (llm_override, says) => {
    for (const stream of [true, false]) {
      expect(await ask('Who?', { llm_override, stream })).toMatchObject({
        error_code: 'BAD_REQUEST',
        detail: expect.stringMatching(says) as unknown,
      });
    }
  });
});

describe('an image', () => {
  it.each([
    [{}, 'seer', true],
    [{ llm_override: { temperature: 0.5 } }, 'seer', true],
    [{ llm_override: { model_version: 'small' } }, 'small', false],
    [{ llm_override: { model_provider: 'Other' } }, 'theirs', false],
  ])('with %j goes to %s', async (body, model, isSeen) => {
    const upload = await sendFiles(millrace, '/user/projects/file/upload', [
      ['dot.png', buildPng(9, 9)],
    ]);
    await ask('What is it?', { file_descriptors: [upload.body.user_files[0].file_id], ...body });
    const call = llm.calls.at(-1)?.body;
    expect(call?.['model']).toBe(model);
    expect(JSON.stringify(call?.messages).includes('image_url')).toBe(isSeen);
  });
});

describe('additional_context', () => {
  it('reaches the model and is stored nowhere', async () => {
    const secret = 'zebra-crossing-4711';
    const first = await ask('With context?', { additional_context: `The word is ${secret}.` });
    expect(lastPrompt().join('\n')).toContain(secret);
    await ask('And without?', { chat_session_id: first.chat_session_id });
    expect(JSON.stringify(llm.calls.at(-1)?.body)).not.toContain(secret);
    const { db } = millrace.services;
    const tables = await sql<{
      name: string;
    }>`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db);
    expect(tables.rows.length).toBeGreaterThan(30);
    for (const { name } of tables.rows) {
      const { rows } = await sql<{ found: number }>`select count(*)::int as found
        from ${sql.table(name)} as row where row::text like ${`%${secret}%`}`.execute(db);
      expect([name, rows[0]?.found]).toEqual([name, 0]);
    }
  });
});

describe('the reference family', () => {
  async function send(body: object) {
    const made = await millrace.call('POST', '/chat/session', { title: 'Mine' });
    const session_id: string = made.body.session_id;
    const answer = await millrace.call('POST', '/chat/send-message', {
      session_id,
      message: 'Hello?',
      ...body,
    });
    const lines = answer.text.split('\n').filter(Boolean);
    return {
      ...answer,
      session_id,
      lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    };
  }

  it('answers chunks, then done; its sessions appear in the other family', async () => {
    const { status, lines, session_id, headers } = await send({});
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    expect(lines.slice(0, -1).every(({ type }) => type === 'chunk')).toBe(true);
    expect(lines.at(-1)).toEqual({
      type: 'done',
      message_id: expect.stringMatching(/^\d+$/) as unknown,
      citations: [],
    });
    const call = llm.calls.at(-1)?.body;
    expect(call).toMatchObject({ model: 'small', temperature: 0.7 });
    const listed = await millrace.call('GET', '/chat/session');
    expect(listed.body.sessions[0]).toMatchObject({ session_id, message_count: 2, title: 'Mine' });
    expect((await ask('Again?', { chat_session_id: session_id })).error_msg).toBeNull();
    expect(lastPrompt()[0]).toBe('user: Hello?');
  });

  it('accepts the configured model identifiers', async () => {
    await send({ model: 'best', temperature: 0 });
    expect(llm.calls.at(-1)?.body).toMatchObject({ model: 'theirs', temperature: 0 });
  });

  it.each([
    [{ model: 'small' }, 400, /body.model: must be one of fast, best/],
    [{ temperature: 1.1 }, 400, /body.temperature/],
    [{ temperature: -0.1 }, 400, /body.temperature/],
    [{ message: ' ' }, 400, /body.message/],
    [{ message: undefined }, 400, /body.message/],
    [{ session_id: undefined }, 400, /body.session_id/],
    [{ session_id: 'nothing' }, 404, /chat session/],
    [{ session_id: '00000000-0000-4000-8000-000000000000' }, 404, /chat session/],
  ])('%j is refused', async (body, status, says) => {
    const answer = await send(body);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatch(says);
  });
});

describe('earlier endpoints', () => {
  it('answer as before, with a Deprecation header and a link to the successor', async () => {
    const first = await ask('One?');
    const answers = [
      await millrace.call('POST', '/chat/send-message', {
        chat_session_id: first.chat_session_id,
        parent_message_id: null,
        message: 'Old shape?',
        search_doc_ids: null,
        retrieval_options: { run_search: 'never' },
      }),
      await millrace.call('POST', '/chat/send-message-simple-api', {
        message: 'Simple?',
        persona_id: 0,
      }),
      await millrace.call('POST', '/api/chat/send-message-simple-with-history', {
        persona_id: 0,
        messages: [
          { role: 'user', message: 'Before?' },
          { role: 'assistant', message: 'Yes.' },
          { role: 'user', message: 'Now?' },
        ],
      }),
    ];
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers.get('deprecation')).toBe('@1769904000');
      expect(headers.get('link')).toContain('</chat/send-chat-message>; rel="successor-version"');
    }
    expect(answers[0]?.text).toContain('"message_start"');
    expect(Object.keys(answers[1]?.body).toSorted()).toEqual([
      'answer',
      'answer_citationless',
      'citation_info',
      'error_msg',
      'message_id',
      'top_documents',
    ]);
    expect(lastPrompt().join('\n')).toMatch(/Before\?[\s\S]*Now\?/);
  });

  it('refuse what they always refused', async () => {
    const neither = await millrace.call('POST', '/chat/send-message-simple-api', { message: 'x' });
    expect(neither.status).toBe(400);
    const wrong = await millrace.call('POST', '/chat/send-message', {
      message: 'x',
      parent_message_id: null,
    });
    expect([wrong.status, wrong.body.detail]).toEqual([
      400,
      expect.stringMatching(/chat_session_id/) as unknown,
    ]);
  });
});
