import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Turn } from '#src/chat/turns/begin-turns.ts';
import type { FinishedTurn } from '#src/chat/turns/finish-turns.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import { NEW_SESSION, type TurnPlace } from '#src/chat/turns/turn-place.ts';
import { createTurnWriter } from '#src/chat/turns/turn-writer.ts';
import type { ChatSessionId, ProjectId } from '#src/ids.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const NO_SETTINGS = { agentId: null, projectId: null };

let millrace: TestMillrace;
let ours: ChatOwner;
let theirs: ChatOwner;

beforeAll(async () => {
  millrace = await startTestMillrace();
  ours = await newOwner();
  theirs = await newOwner();
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function newOwner(): Promise<ChatOwner> {
  const { workspaceId } = await millrace.createWorkspace();
  const user = await millrace.services.db
    .selectFrom('api_key')
    .select(['workspace_id', 'user_id'])
    .where('workspace_id', '=', workspaceId as ChatOwner['workspaceId']) // came from the database
    .executeTakeFirstOrThrow();
  return { workspaceId: user.workspace_id, userId: user.user_id };
}

interface Asked {
  place?: TurnPlace;
  owner?: ChatOwner;
  projectId?: number;
}

function begin(message: string, { place = NEW_SESSION, owner = ours, projectId }: Asked = {}) {
  const settings = {
    ...NO_SETTINGS,
    ...(projectId !== undefined && { projectId: projectId as ProjectId }), // may not exist
  };
  return millrace.services.turnWriter.begin(owner, {
    place,
    settings,
    message,
    files: [],
    now: NOW,
  });
}

const below = (sessionId: string, parentId: number): TurnPlace => ({
  ...NEW_SESSION,
  sessionId: sessionId as ChatSessionId, // id of a turn begun here
  parentId,
});

const finishedWith = (content: string): FinishedTurn => ({
  content,
  citations: {},
  reasoning: null,
  documents: null,
  packets: [],
  isClarification: false,
  model: null,
  durationMs: 1,
  error: null,
  now: NOW,
});

async function messagesOf(sessionId: string) {
  return millrace.services.db
    .selectFrom('chat_message')
    .select(['id', 'parent_id', 'latest_child_id', 'role', 'content', 'workspace_id'])
    .where('chat_session_id', '=', sessionId as ChatSessionId)
    .orderBy('id')
    .execute();
}

async function contentOf(id: number): Promise<string | undefined> {
  const row = await millrace.services.db
    .selectFrom('chat_message')
    .select('content')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.content;
}

it('each of the turns that begin together gets its own tree, run and owner', async () => {
  const owners = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? ours : theirs));
  const turns = await Promise.all(
    owners.map((owner, index) => begin(`Question ${index}\0?`, { owner })),
  );
  expect(new Set(turns.map(({ sessionId }) => sessionId)).size).toBe(40);
  for (const [index, turn] of turns.entries()) {
    const [root, question, answer] = await messagesOf(turn.sessionId);
    expect(root).toMatchObject({ role: 'system', parent_id: null, latest_child_id: question?.id });
    expect(question).toMatchObject({
      id: turn.userMessageId,
      role: 'user',
      content: `Question ${index}?`,
      parent_id: root?.id,
      latest_child_id: answer?.id,
      workspace_id: owners[index]?.workspaceId,
    });
    expect(answer).toMatchObject({
      id: turn.assistantMessageId,
      role: 'assistant',
      parent_id: question?.id,
      latest_child_id: null,
    });
    const run = await millrace.services.db
      .selectFrom('chat_run')
      .select(['chat_session_id', 'workspace_id'])
      .where('chat_message_id', '=', turn.assistantMessageId)
      .executeTakeFirst();
    expect(run).toEqual({
      chat_session_id: turn.sessionId,
      workspace_id: owners[index]?.workspaceId,
    });
  }
});

it('a turn in a deleted project fails alone', async () => {
  const settled = await Promise.allSettled([
    begin('One?'),
    begin('Two?', { projectId: 999_999 }),
    begin('Three?'),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('a turn in a foreign, deleted or unknown session is refused alone', async () => {
  const mine = await begin('Mine?');
  const foreign = await begin('Theirs?', { owner: theirs });
  const deleted = await begin('Deleted?');
  await millrace.services.db
    .updateTable('chat_session')
    .set({ deleted_at: NOW })
    .where('id', '=', deleted.sessionId)
    .execute();
  const at = ({ sessionId, assistantMessageId }: Turn) => ({
    place: below(sessionId, assistantMessageId),
  });
  const settled = await Promise.allSettled([
    begin('More of mine?', at(mine)),
    begin('More of theirs?', at(foreign)),
    begin('More of what is gone?', at(deleted)),
    begin('More of nothing?', { place: below(randomUUID(), 1) }),
  ]);
  expect(settled.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ]);
  for (const outcome of settled.slice(1)) {
    expect(outcome).toMatchObject({ reason: { code: 'NOT_FOUND' } });
  }
  expect(await messagesOf(foreign.sessionId)).toHaveLength(3);
  expect(await messagesOf(mine.sessionId)).toHaveLength(5);
});

it('two simultaneous questions become children of the same message, and the later one is shown', async () => {
  const first = await begin('First?');
  const place = below(first.sessionId, first.assistantMessageId);
  const [second, third] = await Promise.all([
    begin('Second?', { place }),
    begin('Third?', { place }),
  ]);
  const messages = await messagesOf(first.sessionId);
  const children = messages.filter(({ parent_id }) => parent_id === first.assistantMessageId);
  expect(children.map(({ id }) => id)).toEqual([second.userMessageId, third.userMessageId]);
  const parent = messages.find(({ id }) => id === first.assistantMessageId);
  expect(parent?.latest_child_id).toBe(third.userMessageId);
});

it('answers that end together each get their own text, and nobody else’s', async () => {
  const { turnWriter } = millrace.services;
  const turns = await Promise.all(Array.from({ length: 20 }, (_, n) => begin(`Question ${n}?`)));
  const foreign = await begin('Theirs?', { owner: theirs });
  await Promise.all([
    ...turns.map(({ assistantMessageId }, n) =>
      turnWriter.finish(ours, assistantMessageId, finishedWith(`Answer ${n}\0 \uD800`)),
    ),
    turnWriter.finish(ours, foreign.assistantMessageId, finishedWith('Not theirs.')),
  ]);
  const contents = await Promise.all(
    turns.map(({ assistantMessageId }) => contentOf(assistantMessageId)),
  );
  expect(contents).toEqual(turns.map((_, n) => `Answer ${n} \uFFFD`));
  expect(await contentOf(foreign.assistantMessageId)).toBe('');
  const running = await millrace.services.db
    .selectFrom('chat_run')
    .select('chat_message_id')
    .where('finished_at', 'is', null)
    .where(
      'chat_message_id',
      'in',
      turns.map(({ assistantMessageId }) => assistantMessageId),
    )
    .execute();
  expect(running).toEqual([]);
});

it('turns that begin together share database statements', async () => {
  let statements = 0;
  const counting = millrace.services.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const writer = createTurnWriter(counting);
  const turn = { place: NEW_SESSION, settings: NO_SETTINGS, message: '?', files: [], now: NOW };
  const turns = await Promise.all(Array.from({ length: 200 }, () => writer.begin(ours, turn)));
  expect(turns).toHaveLength(200);
  expect(statements).toBeLessThanOrEqual(2);
  await writer.idle();
});
