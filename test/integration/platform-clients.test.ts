import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { insertPair } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const SECRET = 'sk-not-for-anybody';

let millrace: TestMillrace;
let workspaceId: string;
let adminKey: string;
let strangerKey: string;
let otherAdmin: { user_id: string; api_key: string };
let reader: { user_id: string; api_key: string };
let writer: { user_id: string; api_key: string };
let inbox: { user_id: string; api_key: string };

beforeAll(async () => {
  millrace = await startTestMillrace({
    LLM_BASE_URL: 'http://127.0.0.1:9/secret-path/v1',
    LLM_API_KEY: SECRET,
    LLM_MODEL: 'small,large',
    LLM_PROVIDERS: JSON.stringify([
      {
        name: 'backup',
        base_url: 'http://127.0.0.1:9/other-path',
        api_key: SECRET,
        models: ['seer'],
        context_tokens: 4_000,
        vision: true,
      },
    ]),
  });
  const home = await millrace.createWorkspace();
  [workspaceId, adminKey] = [home.workspaceId, home.key];
  strangerKey = (await millrace.createWorkspace()).key;
  otherAdmin = await join('admin');
  reader = await join('read');
  writer = await join('member');
  inbox = await join('ingest');
  await fillIndex();
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function join(role: string) {
  const email = `${role}@example.com`;
  const member = { display_name: role, email, role };
  const { body } = await millrace.call('POST', '/account/members', member, { key: adminKey });
  return body;
}

/** `secret` is in a private pair of the second admin, `open` in a public one, both under the word walrus. */
async function fillIndex(): Promise<void> {
  const { db } = millrace.services;
  const hidden = await insertPair(db, workspaceId, 'Hidden', otherAdmin.user_id);
  const open = await insertPair(db, workspaceId, 'Open', otherAdmin.user_id);
  await sql`update cc_pair set access_type = 'private' where id = ${hidden}`.execute(db);
  for (const [id, pair, key] of [
    ['secret', hidden, adminKey],
    ['open', open, adminKey],
    ['foreign', null, strangerKey],
  ] as const) {
    const document = {
      id,
      semantic_identifier: `Walrus ${id}`,
      sections: [{ text: `The walrus is ${id}.`, link: `https://walrus.test/${id}` }],
      metadata: { animal: `${id}-walrus`, colour: 'grey' },
    };
    const body = pair === null ? { document } : { document, cc_pair_id: pair };
    const { status } = await millrace.call('POST', '/service-api/ingestion', body, { key });
    expect(status).toBe(200);
  }
  await millrace.settled(adminKey);
  await millrace.settled(strangerKey);
}

const call = (method: string, path: string, key: string | null, body?: unknown) =>
  millrace.call(method, path, body, { key });
const documentIds = (documents: { document_id: string }[]): string[] =>
  documents.map(({ document_id }) => document_id).toSorted();

describe('before a client signs in, it asks', () => {
  it.each(['', '/api'])('what is here, under the prefix "%s", and needs no key', async (prefix) => {
    const root = await call('GET', `${prefix}/`, null);
    expect(root.status).not.toBe(403);
    const health = await call('GET', `${prefix}/health`, null);
    expect(health.body).toMatchObject({ success: true, message: 'ok', data: null });
    const version = await call('GET', `${prefix}/version`, null);
    expect(version.body).toEqual({ backend_version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    const type = await call('GET', `${prefix}/auth/type`, null);
    expect([type.status, type.body]).toEqual([
      200,
      {
        auth_type: 'basic',
        requires_verification: false,
        anonymous_user_enabled: false,
        password_min_length: expect.any(Number),
        has_users: true,
        oauth_enabled: false,
      },
    ]);
  });
});

describe('a key', () => {
  const me = (headers: Record<string, string>) =>
    millrace.call('GET', '/api/me', undefined, { key: null, headers });

  it.each<[string, (key: string) => Record<string, string>]>([
    ['after the word Bearer', (key) => ({ Authorization: `Bearer ${key}` })],
    ['after bearer in small letters', (key) => ({ Authorization: `bearer ${key}` })],
    ['without the word', (key) => ({ Authorization: key })],
    ['in the header of existing clients', (key) => ({ 'X-Onyx-Authorization': `Bearer ${key}` })],
    ['there, without the word', (key) => ({ 'X-Onyx-Authorization': key })],
    [
      'beside one of a proxy',
      (key) => ({ 'X-Onyx-Authorization': key, Authorization: 'Basic eA==' }),
    ],
    ['beside an empty one', (key) => ({ 'X-Onyx-Authorization': '', Authorization: key })],
  ])('is taken %s', async (_, headers) => {
    expect((await me(headers(reader.api_key))).body).toMatchObject({ id: reader.user_id });
  });

  it('of the own header counts, and no other is tried when it is wrong', async () => {
    const both = (own: string, other: string) =>
      me({ 'X-Onyx-Authorization': own, Authorization: `Bearer ${other}` });
    expect((await both(reader.api_key, writer.api_key)).body.id).toBe(reader.user_id);
    const refused = await both('nonsense', writer.api_key);
    expect([refused.status, refused.body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('of every role is told whose it is', async () => {
    const roles = await Promise.all(
      [otherAdmin, writer, reader, inbox].map(async ({ user_id, api_key }) => {
        const { status, body } = await call('GET', '/me', api_key);
        expect([status, body.id]).toEqual([200, user_id]);
        return [body.email, body.role, body.is_superuser];
      }),
    );
    expect(roles).toEqual([
      ['admin@example.com', 'admin', true],
      ['member@example.com', 'basic', false],
      ['read@example.com', 'limited', false],
      ['ingest@example.com', 'limited', false],
    ]);
    expect((await call('GET', '/me', null)).status).toBe(401);
    expect((await call('GET', '/me', strangerKey)).text).not.toContain(workspaceId);
  });
});

describe('a page of another origin', () => {
  const page = { Origin: 'https://shop.example' };

  it('may send what existing widgets send', async () => {
    const asked = {
      ...page,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    };
    const path = '/api/chat/send-chat-message';
    const answer = await millrace.call('OPTIONS', path, undefined, { key: null, headers: asked });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each<[number, string, string | null]>([
    [401, '/api/me', null],
    [404, '/api/nowhere', null],
    [404, '/api/persona/999999', ''],
    [400, '/api/persona/first', ''],
    [405, '/api/auth/type', null],
  ])('is shown the refusal %i of %s', async (status, path, key) => {
    const method = status === 405 ? 'DELETE' : 'GET';
    const options = { key: key === null ? null : reader.api_key, headers: page };
    const answer = await millrace.call(method, path, undefined, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('GET /llm/provider', () => {
  it('tells which models there are, the default one first', async () => {
    const { status, body } = await call('GET', '/api/llm/provider', reader.api_key);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      {
        name: 'openai-compatible',
        default_model_name: 'small',
        is_default_provider: true,
        model_configurations: [{ name: 'small' }, { name: 'large' }],
      },
      {
        name: 'backup',
        default_model_name: 'seer',
        is_default_provider: false,
        is_default_vision_provider: true,
        default_vision_model: 'seer',
        model_configurations: [
          { name: 'seer', max_input_tokens: 4_000, supports_image_input: true, is_visible: true },
        ],
      },
    ]);
  });

  it.each(['reader', 'admin'])('tells a %s no keys and no addresses', async (who) => {
    const key = who === 'admin' ? adminKey : reader.api_key;
    const { text } = await call('GET', '/llm/provider', key);
    for (const secret of [SECRET, '127.0.0.1', 'secret-path', 'other-path'])
      expect(text).not.toContain(secret);
  });
});

describe('GET /query/valid-tags', () => {
  const tags = async (key: string, query = ''): Promise<string[]> => {
    const { status, body } = await call('GET', `/api/query/valid-tags${query}`, key);
    expect(status).toBe(200);
    return body.tags.map(
      (tag: { tag_key: string; tag_value: string }) => `${tag.tag_key}=${tag.tag_value}`,
    );
  };

  it('knows the tags of the documents that the caller may find, and no others', async () => {
    expect(await tags(otherAdmin.api_key)).toEqual([
      'animal=open-walrus',
      'animal=secret-walrus',
      'colour=grey',
    ]);
    for (const key of [reader.api_key, adminKey])
      expect(await tags(key)).toEqual(['animal=open-walrus', 'colour=grey']);
    expect(await tags(strangerKey)).toEqual(['animal=foreign-walrus', 'colour=grey']);
  });

  it.each<[string, string[]]>([
    ['?match_pattern=COL', ['colour=grey']],
    ['?match_pattern=gr', ['colour=grey']],
    ['?match_pattern=animal%3DOpen', ['animal=open-walrus']],
    ['?match_pattern=ani%3Dopen', []],
    ['?match_pattern=col&allow_prefix=false', []],
    ['?match_pattern=colour&allow_prefix=false', ['colour=grey']],
    ['?match_pattern=animal%3Dopen-walrus&allow_prefix=false', ['animal=open-walrus']],
    ['?match_pattern=%25', []],
    ['?match_pattern=c_lour', []],
    ['?match_pattern=', ['animal=open-walrus', 'colour=grey']],
  ])('with %s finds %j', async (query, expected) => {
    expect(await tags(reader.api_key, query)).toEqual(expected);
  });
});

describe('POST /admin/search', () => {
  const search = (key: string, body: unknown) => call('POST', '/api/admin/search', key, body);

  it('finds for an admin what that admin may see', async () => {
    const mine = await search(otherAdmin.api_key, { query: 'walrus', filters: {} });
    expect(documentIds(mine.body.documents)).toEqual(['open', 'secret']);
    const theirs = await search(adminKey, { query: 'walrus', filters: null });
    expect(documentIds(theirs.body.documents)).toEqual(['open']);
    const foreign = await search(strangerKey, { query: 'walrus' });
    expect(documentIds(foreign.body.documents)).toEqual(['foreign']);
  });

  it('lists the newest documents when the query is blank, under the same rule', async () => {
    const mine = await search(otherAdmin.api_key, { query: ' ' });
    expect(documentIds(mine.body.documents)).toEqual(['open', 'secret']);
    const { body } = await search(adminKey, { query: '' });
    expect(body.documents).toMatchObject([
      { document_id: 'open', blurb: 'The walrus is open.', link: 'https://walrus.test/open' },
    ]);
    const none = await search(adminKey, { query: '', filters: { tags: { colour: 'red' } } });
    expect(none.body.documents).toEqual([]);
  });

  it('is for admins', async () => {
    for (const { api_key } of [reader, writer, inbox])
      expect((await search(api_key, { query: 'walrus' })).status).toBe(403);
  });
});

describe('POST /search/send-search-message', () => {
  const path = '/search/send-search-message';

  it('answers in one object, with passages when they are asked for', async () => {
    const body = { search_query: 'walrus', filters: null, num_hits: 5, hybrid_alpha: 0.5 };
    const bare = await call('POST', `/api${path}`, reader.api_key, body);
    expect(bare.body).toMatchObject({
      all_executed_queries: ['walrus'],
      search_docs: [{ document_id: 'open', content: null }],
      doc_selection_reasoning: null,
      llm_selected_doc_ids: null,
      error: null,
    });
    const whole = await call('POST', path, reader.api_key, { ...body, include_content: true });
    expect(whole.body.search_docs).toMatchObject([{ content: 'The walrus is open.' }]);
    const mine = await call('POST', path, otherAdmin.api_key, body);
    expect(documentIds(mine.body.search_docs)).toEqual(['open', 'secret']);
    const foreign = await call('POST', path, strangerKey, body);
    expect(documentIds(foreign.body.search_docs)).toEqual(['foreign']);
  });

  it('streams bare lines under /api and events elsewhere', async () => {
    const body = { search_query: 'walrus', stream: true };
    const bare = await call('POST', `/api${path}`, reader.api_key, body);
    const lines = bare.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'search_queries', all_executed_queries: ['walrus'] },
      { type: 'search_docs', search_docs: [{ document_id: 'open' }] },
    ]);
    const events = await call('POST', path, reader.api_key, body);
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(events.text).toBe(lines.map((line) => `data: ${line}\n\n`).join(''));
  });

  it.each<[string, unknown, string]>([
    ['a blank query', { search_query: ' ' }, 'body.search_query'],
    ['2,049 characters', { search_query: 'x'.repeat(2_049) }, 'body.search_query'],
    ['101 hits', { search_query: 'x', num_hits: 101 }, 'body.num_hits'],
    ['filters in words', { search_query: 'x', filters: 'all' }, 'body.filters'],
  ])('refuses %s before anything is streamed', async (_, body, words) => {
    const refused = await call('POST', path, reader.api_key, { stream: true, ...(body as object) });
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(words);
  });
});
