import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findAgent } from '#src/chat/agents/find-agent.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

interface Person {
  key: string;
  viewer: { workspaceId: WorkspaceId; userId: UserId };
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

let millrace: TestMillrace;
let admin: Person;
let maker: Person;
let colleague: Person;
let reader: Person;
let stranger: Person;
let documentSetId: number;
let toolId: number;
let strangersToolId: number;

beforeAll(async () => {
  millrace = await startTestMillrace({
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    LLM_MODEL: 'small,large',
  });
  const [home, elsewhere] = [await millrace.createWorkspace(), await millrace.createWorkspace()];
  admin = await open(home.key);
  stranger = await open(elsewhere.key);
  maker = await join('member');
  colleague = await join('member');
  reader = await join('read');
  const { db } = millrace.services;
  const { rows: sets } = await sql<{ id: number }>`
    insert into document_set (workspace_id, name) values (${home.workspaceId}, 'Handbook'),
      (${elsewhere.workspaceId}, 'Secrets') returning id`.execute(db);
  documentSetId = sets[0]?.id ?? 0;
  const { rows: tools } = await sql<{ id: number }>`
    insert into custom_tool (workspace_id, name, display_name, definition)
    values (${home.workspaceId}, 'weather', 'Weather', '{}'),
      (${elsewhere.workspaceId}, 'vault', 'Vault', '{}') returning id`.execute(db);
  [toolId, strangersToolId] = [tools[0]?.id ?? 0, tools[1]?.id ?? 0];
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function open(key: string): Promise<Person> {
  const call: Person['call'] = (method, path, body) => millrace.call(method, path, body, { key });
  const { body } = await call('GET', '/account');
  return { key, call, viewer: { workspaceId: body.workspace_id, userId: body.user_id } };
}

let joined = 0;
async function join(role: string): Promise<Person> {
  joined += 1;
  const email = `agent-${joined}@example.com`;
  const { body } = await admin.call('POST', '/account/members', {
    display_name: `Person ${joined}`,
    email,
    role,
  });
  return open(body.api_key);
}

async function make(by: Person, body: Record<string, unknown> = {}): Promise<number> {
  const made = await by.call('POST', '/persona', { name: 'Helper', ...body });
  expect(made.text).toContain('"id"');
  return made.body.id;
}

const idsOf = (answer: Answer): number[] => answer.body.map(({ id }: { id: number }) => id);

describe('a request for an agent', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['a blank name', { name: '  ' }, 'body.name'],
    ['a name of 201 characters', { name: 'n'.repeat(201) }, 'body.name'],
    ['a NUL', { instructions: 'a\0b' }, 'body.instructions'],
    ['half a surrogate pair', { system_prompt: '\uD800' }, 'body.system_prompt'],
    ['50,001 characters of instructions', { system_prompt: 'x'.repeat(50_001) }, 'system_prompt'],
    ['two texts for one field', { system_prompt: 'a', instructions: 'b' }, 'body.instructions'],
    [
      'two models for one field',
      { model_version: 'small', llm_model_version_override: 'large' },
      'body.model_version',
    ],
    ['sets by id and by name', { document_sets: [], document_set_ids: [] }, 'body.document_sets'],
    ['a task prompt', { task_prompt: 'Be brief.' }, 'system_prompt'],
    ['a temperature of 2.1', { temperature: 2.1 }, 'body.temperature'],
    ['a temperature below 0', { temperature: -0.1 }, 'body.temperature'],
    ['a temperature in words', { temperature: 'warm' }, 'body.temperature'],
    ['an unknown tool', { tool_ids: [1, 999_999] }, 'body.tool_ids[1]'],
    ['a tool that is no number', { tool_ids: ['1'] }, 'body.tool_ids[0]'],
    ['an unknown document set', { document_set_ids: [999_999] }, 'body.document_set_ids[0]'],
    ['an unknown name of a set', { document_sets: ['Nowhere'] }, 'body.document_sets[0]'],
    ["another workspace's set", { document_sets: ['Secrets'] }, 'body.document_sets[0]'],
    ['an unknown model', { model_version: 'gigantic' }, 'body.llm_model_version_override'],
    ['an unknown provider', { model_provider: 'nobody' }, 'body.llm_model_provider_override'],
    [
      'eleven starters',
      { starter_messages: Array(11).fill({ name: 'a', message: 'b' }) },
      'body.starter_messages',
    ],
    [
      'a starter without a message',
      { starter_messages: [{ name: 'a' }] },
      'starter_messages[0].message',
    ],
    ['a flag in words', { is_public: 'yes' }, 'body.is_public'],
  ])('with %s is refused and makes nothing', async (_, body, words) => {
    const before = idsOf(await maker.call('GET', '/persona'));
    const { status, body: refusal } = await maker.call('POST', '/persona', {
      name: 'Refused',
      ...body,
    });
    expect([status, refusal.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refusal.detail).toContain(words);
    expect(idsOf(await maker.call('GET', '/persona'))).toEqual(before);
  });

  it("with another workspace's tool is refused like one with a tool of nobody", async () => {
    const { status, body } = await maker.call('POST', '/persona', {
      name: 'Thief',
      tool_ids: [strangersToolId],
    });
    expect([status, body.detail]).toEqual([
      400,
      expect.stringContaining(`there is no tool ${strangersToolId}`),
    ]);
  });

  it('is refused to a key that may only read', async () => {
    const { status } = await reader.call('POST', '/persona', { name: 'Reader' });
    expect(status).toBe(403);
  });

  it('is answered with the whole agent, in the spellings of both kinds of clients', async () => {
    const made = await maker.call('POST', '/persona', {
      name: '  Lawyer ',
      description: 'Knows the handbook.',
      instructions: 'Answer in one sentence.',
      tool_ids: [1, toolId, 1],
      document_set_ids: [documentSetId],
      model_version: 'large',
      temperature: 0.2,
      starter_messages: [{ name: 'Leave', message: 'How much leave have I?' }],
    });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      name: 'Lawyer',
      description: 'Knows the handbook.',
      system_prompt: 'Answer in one sentence.',
      instructions: 'Answer in one sentence.',
      task_prompt: '',
      tools: [
        { id: 1, name: 'internal_search' },
        { id: toolId, name: 'weather' },
      ],
      tool_ids: [1, toolId],
      document_sets: [{ id: documentSetId, name: 'Handbook' }],
      llm_model_provider_override: null,
      llm_model_version_override: 'large',
      model_version: 'large',
      temperature: 0.2,
      starter_messages: [{ name: 'Leave', message: 'How much leave have I?' }],
      is_public: true,
      is_visible: true,
      is_listed: true,
      builtin_persona: false,
      is_default_persona: false,
      owner: { id: maker.viewer.userId },
      users: [],
      groups: [],
      num_chunks: null,
    });
    const { body } = await reader.call('GET', `/persona/${made.body.id}`);
    expect(body).toEqual(made.body);
    expect(await findAgent(millrace.services.db, reader.viewer, made.body.id)).toEqual({
      id: made.body.id,
      name: 'Lawyer',
      instructions: 'Answer in one sentence.',
      toolIds: [1, toolId],
      documentSets: ['Handbook'],
      modelProvider: null,
      modelVersion: 'large',
      temperature: 0.2,
    });
  });

  it('may take back what was shown', async () => {
    const id = await make(maker, { document_sets: ['Handbook'], system_prompt: 'Be kind.' });
    const { body: shown } = await maker.call('GET', `/persona/${id}`);
    const again = await maker.call('PATCH', `/persona/${id}`, shown);
    expect([again.status, again.body.document_sets, again.body.system_prompt]).toEqual([
      200,
      shown.document_sets,
      'Be kind.',
    ]);
  });
});

describe('the default agent', () => {
  it('is listed first, also where there is no other', async () => {
    const { body } = await stranger.call('GET', '/api/persona');
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({
      id: 0,
      builtin_persona: true,
      is_default_persona: true,
      is_visible: true,
      is_listed: true,
      tool_ids: null,
      document_sets: [],
      owner: null,
    });
    expect((await reader.call('GET', '/persona/0')).body).toMatchObject({
      id: 0,
      system_prompt: '',
    });
  });

  it.each(['PATCH', 'PUT', 'DELETE'])('is not changed by %s, even of an admin', async (method) => {
    const body = method === 'DELETE' ? undefined : { name: 'Mine' };
    const refused = await admin.call(method, '/persona/0', body);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect((await admin.call('GET', '/persona/0')).body.name).toBe('Assistant');
  });
});

describe('an agent', () => {
  it('that is private is seen by its maker alone, and by no admin', async () => {
    const id = await make(maker, { is_public: false });
    for (const person of [admin, colleague, reader, stranger]) {
      expect(idsOf(await person.call('GET', '/persona'))).not.toContain(id);
      expect((await person.call('GET', `/persona/${id}`)).status).toBe(404);
      expect(await findAgent(millrace.services.db, person.viewer, id)).toBeNull();
    }
    for (const person of [admin, colleague, stranger]) {
      expect((await person.call('PATCH', `/persona/${id}`, { name: 'Taken' })).status).toBe(404);
      expect((await person.call('DELETE', `/persona/${id}`)).status).toBe(404);
    }
    expect(idsOf(await maker.call('GET', '/persona'))).toContain(id);
    expect((await maker.call('GET', `/persona/${id}`)).body.name).toBe('Helper');
  });

  it('of another workspace does not exist, public or not', async () => {
    const id = await make(maker);
    const unknown = await stranger.call('GET', '/persona/999999');
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'Taken' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await stranger.call(method, `/persona/${id}`, body);
      expect([answer.status, answer.body.detail]).toEqual([
        404,
        unknown.body.detail.replace('999999', String(id)),
      ]);
    }
    expect(await findAgent(millrace.services.db, stranger.viewer, id)).toBeNull();
    expect((await maker.call('GET', `/persona/${id}`)).body.name).toBe('Helper');
  });

  it('that is public is changed by its maker and by admins, and by nobody else', async () => {
    const id = await make(maker);
    expect((await colleague.call('PATCH', `/persona/${id}`, { name: 'Taken' })).status).toBe(403);
    expect((await colleague.call('DELETE', `/persona/${id}`)).status).toBe(403);
    expect((await reader.call('DELETE', `/persona/${id}`)).status).toBe(403);
    expect((await maker.call('GET', `/persona/${id}`)).body.name).toBe('Helper');
    expect((await maker.call('PATCH', `/persona/${id}`, { name: 'First' })).body.name).toBe(
      'First',
    );
    expect((await admin.call('PUT', `/persona/${id}`, { name: 'Second' })).body.name).toBe(
      'Second',
    );
    const hidden = await admin.call('PATCH', `/persona/${id}`, { is_public: false });
    expect([hidden.status, hidden.body.detail]).toEqual([
      400,
      expect.stringContaining('body.is_public'),
    ]);
    expect((await maker.call('PATCH', `/persona/${id}`, { is_public: false })).status).toBe(200);
    expect((await admin.call('GET', `/persona/${id}`)).status).toBe(404);
  });

  it('keeps what a change leaves out, and loses what is set to null', async () => {
    const content = {
      description: 'D',
      system_prompt: 'S',
      tool_ids: [],
      document_sets: ['Handbook'],
      llm_model_version_override: 'large',
      temperature: 0,
    };
    const id = await make(maker, content);
    const renamed = await maker.call('PATCH', `/persona/${id}`, { name: 'Renamed' });
    expect(renamed.body).toMatchObject({
      ...content,
      name: 'Renamed',
      tools: [],
      document_sets: [{ id: documentSetId, name: 'Handbook' }],
    });
    const emptied = await maker.call('PATCH', `/persona/${id}`, {
      description: null,
      system_prompt: null,
      tool_ids: null,
      document_set_ids: [],
      model_version: null,
      temperature: null,
    });
    expect(emptied.body).toMatchObject({
      name: 'Renamed',
      description: '',
      system_prompt: '',
      tool_ids: null,
      document_sets: [],
      llm_model_version_override: null,
      temperature: null,
    });
  });

  it('is gone for everybody when it is deleted, while its conversations stay', async () => {
    const id = await make(maker);
    const { body } = await colleague.call('POST', '/chat/create-chat-session', { persona_id: id });
    expect((await maker.call('DELETE', `/persona/${id}`)).text).toBe('null');
    expect((await maker.call('DELETE', `/persona/${id}`)).status).toBe(404);
    expect((await maker.call('PATCH', `/persona/${id}`, { name: 'Back' })).status).toBe(404);
    expect(idsOf(await maker.call('GET', '/persona'))).not.toContain(id);
    expect(await findAgent(millrace.services.db, maker.viewer, id)).toBeNull();
    const { rows } = await sql`select 1 from chat_session where id = ${body.chat_session_id}
      and deleted_at is null`.execute(millrace.services.db);
    expect(rows).toHaveLength(1);
  });

  it('finds nothing rather than everything when its document set is deleted', async () => {
    const made = await admin.call('POST', '/manage/admin/document-set', {
      name: 'Short-lived',
      cc_pair_ids: [await anyPair()],
    });
    const id = await make(maker, { document_set_ids: [made.body] });
    await admin.call('DELETE', `/manage/admin/document-set/${made.body}`);
    expect((await maker.call('GET', `/persona/${id}`)).body.document_sets).toEqual([
      { id: 0, name: 'Short-lived' },
    ]);
  });

  it('shows its name but no instructions in the listing', async () => {
    const id = await make(maker, { name: 'Discreet', system_prompt: 'Say nothing of the merger.' });
    const { text, body } = await colleague.call('GET', '/persona');
    expect(body.find((agent: { id: number }) => agent.id === id)).toMatchObject({
      name: 'Discreet',
    });
    expect(text).not.toContain('merger');
  });
});

it('a user has 500 agents before them at most, however many come at once', async () => {
  const { key, workspaceId } = await millrace.createWorkspace();
  await sql`insert into agent (workspace_id, name) select ${workspaceId}, 'Agent ' || n
    from generate_series(1, 497) n`.execute(millrace.services.db);
  const person = await open(key);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => person.call('POST', '/persona', { name: 'One more' })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409, 409, 409]);
});

async function anyPair(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from cc_pair
    where workspace_id = ${admin.viewer.workspaceId} limit 1`.execute(millrace.services.db);
  return rows[0]?.id ?? 0;
}
