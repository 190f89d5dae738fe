import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findAgent } from '#src/chat/agents/find-agent.ts';
import type { Answer } from '#test/support/api-client.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let admin: TestUser;
let maker: TestUser;
let reader: TestUser;
let stranger: TestUser;
let documentSetId: number;
let toolId: number;
let strangersToolId: number;

beforeAll(async () => {
  millrace = await startTestMillrace({
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    LLM_MODEL: 'small,large',
  });
  admin = await openWorkspace(millrace);
  stranger = await openWorkspace(millrace);
  maker = await addUser(millrace, admin, 'member');
  reader = await addUser(millrace, admin, 'read');
  const { db } = millrace.services;
  const { rows: sets } = await sql<{ id: number }>`
    insert into document_set (workspace_id, name) values (${admin.workspaceId}, 'Handbook'),
      (${stranger.workspaceId}, 'Secrets') returning id`.execute(db);
  documentSetId = sets[0]?.id ?? 0;
  const { rows: tools } = await sql<{ id: number }>`
    insert into custom_tool (workspace_id, name, display_name, definition)
    values (${admin.workspaceId}, 'weather', 'Weather', '{}'),
      (${stranger.workspaceId}, 'vault', 'Vault', '{}') returning id`.execute(db);
  [toolId, strangersToolId] = [tools[0]?.id ?? 0, tools[1]?.id ?? 0];
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function make(by: TestUser, body: Record<string, unknown> = {}): Promise<number> {
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
    [
      'two different texts for one field',
      { system_prompt: 'a', instructions: 'b' },
      'body.instructions',
    ],
    [
      'two different models for one field',
      { model_version: 'small', llm_model_version_override: 'large' },
      'body.model_version',
    ],
    [
      'document sets by id and by name',
      { document_sets: [], document_set_ids: [] },
      'body.document_sets',
    ],
    ['a task prompt', { task_prompt: 'Be brief.' }, 'system_prompt'],
    ['a temperature of 2.1', { temperature: 2.1 }, 'body.temperature'],
    ['a temperature below 0', { temperature: -0.1 }, 'body.temperature'],
    ['a temperature that is not a number', { temperature: 'warm' }, 'body.temperature'],
    ['an unknown tool', { tool_ids: [1, 999_999] }, 'body.tool_ids[1]'],
    ['a tool that is not a number', { tool_ids: ['1'] }, 'body.tool_ids[0]'],
    ['an unknown document set', { document_set_ids: [999_999] }, 'body.document_set_ids[0]'],
    ['an unknown document set name', { document_sets: ['Nowhere'] }, 'body.document_sets[0]'],
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
    ['a flag that is not a boolean', { is_public: 'yes' }, 'body.is_public'],
  ])('with %s is refused and creates nothing', async (_, body, words) => {
    const before = idsOf(await maker.call('GET', '/persona'));
    const { status, body: refusal } = await maker.call('POST', '/persona', {
      name: 'Refused',
      ...body,
    });
    expect([status, refusal.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refusal.detail).toContain(words);
    expect(idsOf(await maker.call('GET', '/persona'))).toEqual(before);
  });

  it("with another workspace's tool is refused like one with an unknown tool", async () => {
    const { status, body } = await maker.call('POST', '/persona', {
      name: 'Thief',
      tool_ids: [strangersToolId],
    });
    expect([status, body.detail]).toEqual([
      400,
      expect.stringContaining(`there is no tool ${strangersToolId}`),
    ]);
  });

  it('is refused for a read-only key', async () => {
    const { status } = await reader.call('POST', '/persona', { name: 'Reader' });
    expect(status).toBe(403);
  });

  it('is answered with the whole agent, in the field names of both client generations', async () => {
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
        { id: 1, name: 'internal_search', in_code_tool_id: 'SearchTool' },
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
      owner: { id: maker.userId },
      users: [],
      groups: [],
      num_chunks: null,
    });
    const { body } = await reader.call('GET', `/persona/${made.body.id}`);
    expect(body).toEqual(made.body);
    expect(await findAgent(millrace.services.db, reader, made.body.id)).toEqual({
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

  it('may clear fields', async () => {
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
  it('is listed first, even when it is the only one', async () => {
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

  it.each(['PATCH', 'PUT', 'DELETE'])(
    'cannot be changed by %s, even from an admin',
    async (method) => {
      const body = method === 'DELETE' ? undefined : { name: 'Mine' };
      const refused = await admin.call(method, '/persona/0', body);
      expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
      expect((await admin.call('GET', '/persona/0')).body.name).toBe('Assistant');
    },
  );
});
