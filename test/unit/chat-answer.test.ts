import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { answerQuestion, type AnswerInput, type AnswerServices } from '#src/chat/answer.ts';
import type { ChatModel } from '#src/chat/chat-model.ts';
import { chatFullResponseSchema, collectAnswer } from '#src/chat/full-response.ts';
import type { StreamLine } from '#src/chat/packets.ts';
import { createInternalSearch } from '#src/chat/tools/internal-search.ts';
import type { ChatSessionId, UserId, WorkspaceId } from '#src/ids.ts';
import { openDatabase, type OpenDatabase } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { migrate } from '#src/platform/migrations.ts';
import { fakeChatModel, say, think } from '#test/support/fake-chat-model.ts';
import { fakeHit } from '#test/support/fake-hit.ts';

const log = pino({ level: 'silent' });
const NOW = new Date('2026-03-04T05:06:07Z');
// Ids are branded where rows are made; these rows are made here.
const WORKSPACES = [1, 2].map((n) => `0000000${n}-0000-4000-8000-000000000000` as WorkspaceId);
const USERS = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-00000000000a` as UserId);
const owner = (workspace: number, user: number) => ({
  workspaceId: WORKSPACES[workspace] ?? ('' as WorkspaceId),
  userId: USERS[user] ?? ('' as UserId),
});
const ALICE = owner(0, 0);
const SAME_WORKSPACE = owner(0, 1);
const OTHER_WORKSPACE = owner(1, 2);

let database: OpenDatabase;

beforeAll(async () => {
  database = await openDatabase({ databaseUrl: null, poolSize: 1, directory: null }, log);
  await migrate(database.db, log);
  for (const { workspaceId } of [ALICE, OTHER_WORKSPACE]) {
    const workspace = {
      id: workspaceId,
      name: 'w',
      plan_tier: 'Free' as const,
      base_plan_tier: 'Free' as const,
      is_bootstrap: false,
    };
    await database.db.insertInto('workspace').values(workspace).execute();
  }
  for (const { workspaceId, userId } of [ALICE, SAME_WORKSPACE, OTHER_WORKSPACE]) {
    const account = { id: userId, workspace_id: workspaceId, display_name: 'u', email: null };
    await database.db.insertInto('user_account').values(account).execute();
  }
}, 30_000);
afterAll(() => database.close());

const services = (chatModel: ChatModel | null): AnswerServices => ({
  db: database.db,
  chatModel,
  clock: () => NOW,
});

function ask(changes: Partial<AnswerInput> = {}): AnswerInput {
  return {
    owner: ALICE,
    message: 'How do I reset the VPN?',
    sessionId: null,
    parent: 'last',
    llmOverride: null,
    search: createInternalSearch(async () => [fakeHit('vpn', 'Reset the VPN in the portal.')]),
    additionalContext: null,
    includeCitations: true,
    describeFailure: (error) =>
      error instanceof Problem ? error : new Problem('INTERNAL_SERVER_ERROR', 'It broke.'),
    signal: new AbortController().signal,
    ...changes,
  };
}

async function newSession(): Promise<ChatSessionId> {
  const response = await collectAnswer(answerQuestion(services(null), ask()));
  return response.chat_session_id as ChatSessionId;
}

const messages = (sessionId: ChatSessionId) =>
  database.db
    .selectFrom('chat_message')
    .select(['id', 'parent_id', 'role', 'content', 'citations', 'error'])
    .where('chat_session_id', '=', sessionId)
    .orderBy('id')
    .execute();

describe('answerQuestion', () => {
  it('names the session and both messages before the packets, and saves the answer before stop', async () => {
    const lines: StreamLine[] = [];
    for await (const line of answerQuestion(services(null), ask())) {
      lines.push(line);
      if (!('obj' in line) || line.obj.type !== 'stop') continue;
      const sessionId = (lines[0] as { chat_session_id: ChatSessionId }).chat_session_id;
      const [, answer] = await messages(sessionId);
      expect(answer?.content).toContain(
        'Reset the VPN in the portal. [[1]](https://kb.example/vpn)',
      );
      expect(answer).toMatchObject({ citations: { 1: 'vpn' }, error: null });
    }
    expect(Object.keys(lines[0] ?? {})).toEqual(['chat_session_id']);
    expect(lines[1]).toEqual({
      user_message_id: expect.any(Number) as unknown,
      reserved_assistant_message_id: expect.any(Number) as unknown,
    });
    expect(lines.at(-1)).toHaveProperty('obj.type', 'stop');
  });

  it('says the same collected as streamed', async () => {
    const parts = [think('Hm.'), say('Use the portal [1]'), say('. Or ask [7]!')];
    const lines: StreamLine[] = await Array.fromAsync(
      answerQuestion(services(fakeChatModel(parts)), ask()),
    );
    const streamed = lines.map((line) =>
      'obj' in line && line.obj.type === 'message_delta' ? line.obj.content : '',
    );
    const response = await collectAnswer(answerQuestion(services(fakeChatModel(parts)), ask()));
    expect(chatFullResponseSchema.parse(response)).toEqual(response);
    expect(response.answer).toBe(streamed.join(''));
    expect(response).toMatchObject({
      answer: 'Use the portal [[1]](https://kb.example/vpn). Or ask!',
      answer_citationless: 'Use the portal. Or ask!',
      pre_answer_reasoning: 'Hm.',
      citation_info: [{ type: 'citation_info', citation_number: 1, document_id: 'vpn' }],
      error_msg: null,
    });
    expect(response.top_documents).toHaveLength(1);
    expect(response.tool_calls).toMatchObject([
      {
        tool_name: 'internal_search',
        tool_arguments: { queries: ['How do I reset the VPN?'] },
        tool_result: expect.stringContaining('"citation":1') as unknown,
        generated_images: null,
      },
    ]);
  });

  it('continues a session with its history, and starts anew with a null parent', async () => {
    const sessionId = await newSession();
    const model = fakeChatModel([say('Yes.')]);
    const next = await Array.fromAsync(
      answerQuestion(services(model), ask({ sessionId, message: 'And on a Mac?\0' })),
    );
    expect(next[0]).not.toHaveProperty('chat_session_id');
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    await Array.fromAsync(answerQuestion(services(model), ask({ sessionId, parent: 'root' })));
    expect(model.requests[1]?.messages).toHaveLength(2);
    const rows = await messages(sessionId);
    const ids = rows.map(({ id }) => id);
    expect(rows.map(({ parent_id }) => parent_id)).toEqual([
      null,
      ids[0],
      ids[1],
      ids[2],
      null,
      ids[4],
    ]);
    expect(rows[2]?.content).toBe('And on a Mac?');

    await Array.fromAsync(answerQuestion(services(model), ask({ sessionId, parent: ids[1] ?? 0 })));
    expect(model.requests[2]?.messages).toHaveLength(4);
  });

  it('hides a session from everybody but its owner', async () => {
    const sessionId = await newSession();
    for (const stranger of [SAME_WORKSPACE, OTHER_WORKSPACE]) {
      const lines = answerQuestion(services(null), ask({ owner: stranger, sessionId }));
      await expect(lines.next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await messages(sessionId)).toHaveLength(2);
  });

  it('refuses a parent that is not in the session', async () => {
    const [foreign] = await messages(await newSession());
    const lines = answerQuestion(
      services(null),
      ask({ sessionId: await newSession(), parent: foreign?.id ?? 0 }),
    );
    await expect(lines.next()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it.each([
    [null, { model_version: 'gpt' }, /no language model is configured/],
    [fakeChatModel([]), { model_version: 'other' }, /"test-model"/],
    [fakeChatModel([]), { model_provider: 'other' }, /"openai-compatible"/],
  ])(
    'refuses an override that names another model before anything is saved',
    async (model, llmOverride, message) => {
      const count = async () =>
        database.db
          .selectFrom('chat_session')
          .select('id')
          .execute()
          .then((rows) => rows.length);
      const before = await count();
      const lines = answerQuestion(services(model), ask({ llmOverride }));
      await expect(lines.next()).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(message) as unknown,
      });
      expect(await count()).toBe(before);
    },
  );

  it('ends a failed answer with an error packet and without stop, and keeps what was said', async () => {
    const failure = new Problem('BAD_GATEWAY', 'The model fell over.', { retryAfterSeconds: 5 });
    const model = fakeChatModel([say('Use the '), failure]);
    const lines = await Array.fromAsync(answerQuestion(services(model), ask()));
    expect(lines.at(-1)).toEqual({
      placement: { turn_index: 1, tab_index: 0, sub_turn_index: null },
      obj: {
        type: 'error',
        exception: 'The model fell over.',
        message: 'The model fell over.',
        error_code: 'BAD_GATEWAY',
        is_retryable: true,
        stack_trace: null,
        details: null,
      },
    });
    expect(JSON.stringify(lines)).not.toContain('"stop"');
    const sessionId = (lines[0] as { chat_session_id: ChatSessionId }).chat_session_id;
    expect((await messages(sessionId))[1]).toMatchObject({
      content: 'Use the',
      error: 'The model fell over.',
    });
  });

  it('answers a failure in one object with an empty answer and the reason', async () => {
    const model = fakeChatModel([say('Use [1] '), new TypeError('secret detail')]);
    const response = await collectAnswer(answerQuestion(services(model), ask()));
    expect(response).toMatchObject({
      answer: '',
      answer_citationless: '',
      citation_info: [],
      error_msg: 'It broke.',
    });
    expect(response.message_id).toBeGreaterThan(0);
    expect(response.chat_session_id).not.toBeNull();
  });

  it('saves the partial text when the client stops reading or the signal aborts', async () => {
    for (const way of ['return', 'abort']) {
      const leaving = new AbortController();
      const model = fakeChatModel([say('Use the portal'), say(' and then'), say(' wait')]);
      let sessionId = '' as ChatSessionId;
      let deltas = 0;
      for await (const line of answerQuestion(services(model), ask({ signal: leaving.signal }))) {
        if ('chat_session_id' in line) sessionId = line.chat_session_id as ChatSessionId;
        if ('obj' in line) expect(line.obj.type).not.toBe('stop');
        if ('obj' in line && line.obj.type === 'message_delta') deltas += 1;
        if (deltas === 1 && way === 'return') break;
        if (deltas === 1) leaving.abort();
      }
      const [, answer] = await messages(sessionId);
      expect(answer?.content).toBe('Use the portal');
      expect(answer?.error).toMatch(/went away/);
    }
  });
});
