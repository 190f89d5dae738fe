import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

let stage: ChatStage;
let owner: ChatUser;
let colleague: ChatUser;
let stranger: ChatUser;
beforeAll(async () => {
  stage = await startChatStage();
  owner = await stage.openUser();
  colleague = await owner.colleague();
  stranger = await stage.openUser();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function detailsOf(id: string, user = owner) {
  const { status, body } = await user.call('GET', `/chat/get-chat-session/${id}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

async function shownIn(id: string): Promise<string[]> {
  const { messages } = await detailsOf(id);
  return messages.map(({ message }: { message: string }) => message);
}

const showBranch = (messageId: unknown, user = owner) =>
  user.call('PUT', '/chat/set-message-as-latest', { message_id: messageId });

const DOCUMENT = {
  document_id: 'KB-7',
  chunk_ind: 0,
  semantic_identifier: 'VPN guide',
  link: null,
  blurb: 'Reset it',
  source_type: 'web',
  boost: 0,
  hidden: false,
  metadata: { team: ['a', 'b'] },
  score: null,
  is_relevant: null,
  relevance_explanation: null,
  match_highlights: [],
  updated_at: null,
  primary_owners: null,
  secondary_owners: null,
  is_internet: false,
};
const at = (turn: number, obj: object) => ({
  placement: { turn_index: turn, tab_index: 0, sub_turn_index: null },
  obj,
});

/** Two questions at the root. The first has two answers, one of which continues. */
async function makeTree() {
  const id = await owner.createSession();
  const root = await stage.rootOf(id);
  const first = await stage.addMessage(id, { role: 'user', content: 'Q1' });
  const older = await stage.addMessage(id, { role: 'assistant', content: 'A1' });
  await stage.addMessage(id, { role: 'user', content: 'Q1.1' });
  const deep = await stage.addMessage(id, { role: 'assistant', content: 'A1.1' });
  const newer = await stage.addMessage(id, { role: 'assistant', content: 'A2', parentId: first });
  await stage.addMessage(id, { role: 'user', content: 'Q2', parentId: root });
  const last = await stage.addMessage(id, { role: 'assistant', content: 'B1' });
  return { id, root, first, older, deep, newer, last };
}

describe('the branch of a chat session', () => {
  it.each<[string, unknown, number]>([
    ['no message', undefined, 400],
    ['a message id in words', 'latest', 400],
    ['a message id out of range', 2 ** 31, 400],
    ['an unknown message', 2 ** 31 - 1, 404],
  ])('is not switched to %s', async (_, messageId, status) => {
    expect((await showBranch(messageId)).status).toBe(status);
  });

  it('is not switched to the root, by other users, or in a deleted session', async () => {
    const { id, root, older } = await makeTree();
    const refused = await showBranch(root);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringContaining('body.message_id'),
    ]);
    await owner.call('PATCH', `/chat/chat-session/${id}`, { sharing_status: 'public' });
    for (const user of [colleague, stranger])
      expect((await showBranch(older, user)).status).toBe(404);
    expect(await shownIn(id)).toEqual(['', 'Q2', 'B1']);
    await owner.call('DELETE', `/chat/delete-chat-session/${id}`);
    expect((await showBranch(older)).status).toBe(404);
  });

  it('shows the path to the message, and below it the branch shown there before', async () => {
    const { id, older, deep, newer, last } = await makeTree();
    expect(await shownIn(id)).toEqual(['', 'Q2', 'B1']);
    const answer = await showBranch(newer);
    expect([answer.status, answer.text]).toEqual([200, 'null']);
    expect(await shownIn(id)).toEqual(['', 'Q1', 'A2']);
    await showBranch(deep);
    expect(await shownIn(id)).toEqual(['', 'Q1', 'A1', 'Q1.1', 'A1.1']);
    await showBranch(last);
    await showBranch(older);
    expect(await shownIn(id)).toEqual(['', 'Q1', 'A1', 'Q1.1', 'A1.1']);
  });

  it('stays a single branch when several are chosen at once', async () => {
    const { id, older, newer, last } = await makeTree();
    const chosen = Array.from({ length: 12 }, (_, index) => [older, newer, last][index % 3]);
    const answers = await Promise.all(chosen.map((messageId) => showBranch(messageId)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const branches = [
      ['', 'Q1', 'A1', 'Q1.1', 'A1.1'],
      ['', 'Q1', 'A2'],
      ['', 'Q2', 'B1'],
    ];
    expect(branches).toContainEqual(await shownIn(id));
  });
});

describe('the history of a chat session', () => {
  it('holds every stored field of each message, and null for the missing ones', async () => {
    const id = await owner.createSession({ description: 'VPN' });
    const root = await stage.rootOf(id);
    const file = {
      id: 'f00dfeed-0000-4000-8000-000000000000',
      type: 'plain_text',
      name: 'a.txt',
      user_file_id: null,
    };
    const packets = [
      at(0, { type: 'message_start', final_documents: [DOCUMENT] }),
      at(0, { type: 'citation_info', citation_number: 1, document_id: 'KB-7' }),
      at(0, { type: 'message_delta', content: 'Reset it [[1]]().' }),
      at(0, { type: 'stop', stop_reason: null }),
    ];
    const asked = await stage.addMessage(id, { role: 'user', content: 'VPN?', files: [file] });
    const answered = await stage.addMessage(id, {
      role: 'assistant',
      content: 'Reset it [[1]]().',
      citations: { 1: 'KB-7' },
      documents: [DOCUMENT],
      packets,
      error: 'It was cut off.',
    });
    await sql`update chat_message set reasoning = 'Hm', model = 'some-model', duration_ms = 1500
      where id = ${answered}`.execute(stage.millrace.services.db);
    const details = await detailsOf(id);
    const nothing = {
      chat_session_id: id,
      reasoning_tokens: null,
      context_docs: null,
      citations: null,
      time_sent: expect.any(String),
      files: [],
      error: null,
      current_feedback: null,
      processing_duration_seconds: null,
      model_display_name: null,
    };
    expect(details.messages).toEqual([
      {
        ...nothing,
        message_id: root,
        parent_message: null,
        latest_child_message: asked,
        message: '',
        message_type: 'system',
      },
      {
        ...nothing,
        message_id: asked,
        parent_message: root,
        latest_child_message: answered,
        message: 'VPN?',
        message_type: 'user',
        files: [file],
      },
      {
        ...nothing,
        message_id: answered,
        parent_message: asked,
        latest_child_message: null,
        message: 'Reset it [[1]]().',
        message_type: 'assistant',
        reasoning_tokens: 'Hm',
        context_docs: [{ ...DOCUMENT, score: 0, db_doc_id: 1 }],
        citations: { 1: 'KB-7' },
        error: 'It was cut off.',
        processing_duration_seconds: 1.5,
        model_display_name: 'some-model',
      },
    ]);
    expect(details.packets).toEqual([packets]);
  });

  it('has packets for each shown answer, including those from before packets were stored', async () => {
    const id = await owner.createSession();
    await stage.addMessage(id, { role: 'user', content: 'Q1' });
    await stage.addMessage(id, { role: 'assistant', content: 'Old answer' });
    await stage.addMessage(id, { role: 'user', content: 'Q2' });
    await stage.addMessage(id, { role: 'assistant', content: '', isUnfinished: true });
    expect((await detailsOf(id)).packets).toEqual([
      [
        at(0, { type: 'message_start', final_documents: null }),
        at(0, { type: 'message_delta', content: 'Old answer' }),
        at(0, { type: 'stop', stop_reason: null }),
      ],
      [],
    ]);
  });

  it('names the answer in progress while its process lives, to the owner only', async () => {
    const { db } = stage.millrace.services;
    const id = await owner.createSession();
    await stage.addMessage(id, { role: 'user', content: 'Q' });
    const run = await stage.addMessage(id, { role: 'assistant', content: '', isUnfinished: true });
    await sql`insert into chat_run (chat_message_id, workspace_id, chat_session_id, alive_until)
      values (${run}, ${owner.workspaceId}, ${id}, now() + interval '30 seconds')`.execute(db);
    expect((await detailsOf(id)).current_run).toEqual({ run_id: run });
    await owner.call('PATCH', `/chat/chat-session/${id}`, { sharing_status: 'public' });
    const seen = await colleague.call('GET', `/chat/get-chat-session/${id}?is_shared=true`);
    expect(seen.body.current_run).toBeNull();
    await sql`update chat_run set alive_until = now() - interval '1 second'
      where chat_message_id = ${run}`.execute(db);
    expect((await detailsOf(id)).current_run).toBeNull();
    await sql`update chat_run set alive_until = now() + interval '30 seconds', finished_at = now()
      where chat_message_id = ${run}`.execute(db);
    expect((await detailsOf(id)).current_run).toBeNull();
  });

  it('of 1,000 messages is complete and in order', async () => {
    const { db } = stage.millrace.services;
    const id = await owner.createSession();
    const root = await stage.rootOf(id);
    await sql`with recursive ids as materialized (
        select n, nextval(pg_get_serial_sequence('chat_message', 'id'))::integer as id
        from generate_series(1, 1000) n)
      insert into chat_message (id, workspace_id, chat_session_id, parent_id, latest_child_id, role,
        content, citations, finished_at)
      overriding system value
      select ids.id, ${owner.workspaceId}, ${id}, coalesce(above.id, ${root}::integer), below.id,
        case when ids.n % 2 = 1 then 'user' else 'assistant' end, 'Message ' || ids.n, '{}', now()
      from ids left join ids above on above.n = ids.n - 1
        left join ids below on below.n = ids.n + 1`.execute(db);
    await sql`update chat_message root set latest_child_id = child.id from chat_message child
      where root.id = ${root} and child.parent_id = root.id`.execute(db);
    const shown = await shownIn(id);
    const expected = Array.from({ length: 1_000 }, (_, index) => `Message ${index + 1}`);
    expect(shown).toEqual(['', ...expected]);
    expect((await detailsOf(id)).packets).toHaveLength(500);
    const { body } = await owner.call('DELETE', `/chat/session/${id}`);
    expect(body.status).toBe('deleted');
    expect(await stage.countRows('chat_message', `chat_session_id = '${id}'`)).toBe(0);
  });
});
