// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findAgent } from '#src/chat/agents/find-agent.ts';
import type { Answer } from '#test/support/api-client.ts';
import { addUser, openWorkspace, type TestUser } from '#test/support/test-users.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let admin: TestUser;
let maker: TestUser;
let colleague: TestUser;
let reader: TestUser;
let stranger: TestUser;
let documentSetId: number;

beforeAll(async () => {
  millrace = await startTestMillrace({
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    LLM_MODEL: 'small,large',
  });
  admin = await openWorkspace(millrace);
  stranger = await openWorkspace(millrace);
  maker = await addUser(millrace, admin, 'member');
  colleague = await addUser(millrace, admin, 'member');
  reader = await addUser(millrace, admin, 'read');
  const { db } = millrace.services;
  const { rows: sets } = await sql<{ id: number }>`
    insert into document_set (workspace_id, name) values (${admin.workspaceId}, 'Handbook'),
      (${stranger.workspaceId}, 'Secrets') returning id`.execute(db);
  documentSetId = sets[0]?.id ?? 0;
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function make(by: TestUser, body: Record<string, unknown> = {}): Promise<number> {
  const made = await by.call('POST', '/persona', { name: 'Helper', ...body });
  expect(made.text).toContain('"id"');
  return made.body.id;
}

const idsOf = (answer: Answer): number[] => answer.body.map(({ id }: { id: number }) => id);

describe('an agent', () => {
  it('that is private is visible only to its maker, not even to admins', async () => {
    const id = await make(maker, { is_public: false });
    for (const person of [admin, colleague, reader, stranger]) {
      expect(idsOf(await person.call('GET', '/persona'))).not.toContain(id);
      expect((await person.call('GET', `/persona/${id}`)).status).toBe(404);
      expect(await findAgent(millrace.services.db, person, id)).toBeNull();
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
    expect(await findAgent(millrace.services.db, stranger, id)).toBeNull();
    expect((await maker.call('GET', `/persona/${id}`)).body.name).toBe('Helper');
  });

  it('that is public may be changed only by its maker and by admins', async () => {
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

  it('keeps the fields that an update leaves out and clears those set to null', async () => {
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

  it('disappears for everybody when deleted, while its conversations stay', async () => {
    const id = await make(maker);
    const { body } = await colleague.call('POST', '/chat/create-chat-session', { persona_id: id });
    expect((await maker.call('DELETE', `/persona/${id}`)).text).toBe('null');
    expect((await maker.call('DELETE', `/persona/${id}`)).status).toBe(404);
    expect((await maker.call('PATCH', `/persona/${id}`, { name: 'Back' })).status).toBe(404);
    expect(idsOf(await maker.call('GET', '/persona'))).not.toContain(id);
    expect(await findAgent(millrace.services.db, maker, id)).toBeNull();
    const { rows } = await sql`select 1 from chat_session where id = ${body.chat_session_id}
      and deleted_at is null`.execute(millrace.services.db);
    expect(rows).toHaveLength(1);
  });

  it('keeps the name of a deleted document set, so that its searches do not widen to everything', async () => {
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

  it('shows its name but not its instructions in the listing', async () => {
    const id = await make(maker, { name: 'Discreet', system_prompt: 'Say nothing of the merger.' });
    const { text, body } = await colleague.call('GET', '/persona');
    expect(body.find((agent: { id: number }) => agent.id === id)).toMatchObject({
      name: 'Discreet',
    });
    expect(text).not.toContain('merger');
  });
});

it('a user can see at most 500 agents, however many are created at once', async () => {
  const person = await openWorkspace(millrace);
  await sql`insert into agent (workspace_id, name) select ${person.workspaceId}, 'Agent ' || n
    from generate_series(1, 497) n`.execute(millrace.services.db);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => person.call('POST', '/persona', { name: 'One more' })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 200, 200, 409, 409, 409,
  ]);
});

async function anyPair(): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from cc_pair
    where workspace_id = ${admin.workspaceId} limit 1`.execute(millrace.services.db);
  return rows[0]?.id ?? 0;
}
