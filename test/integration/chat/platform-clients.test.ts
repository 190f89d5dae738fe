import { afterAll, beforeAll, describe, expect, it } from 'vitest';

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
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function join(role: string) {
  const email = `${role}@example.com`;
  const member = { display_name: role, email, role };
  const { body } = await millrace.call('POST', '/account/members', member, { key: adminKey });
  return body;
}

const call = (method: string, path: string, key: string | null, body?: unknown) =>
  millrace.call(method, path, body, { key });
describe('a client that is not signed in', () => {
  it.each(['', '/api'])(
    'can ask what is here under the prefix "%s" without a key',
    async (prefix) => {
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
    },
  );
});

describe('a key', () => {
  const me = (headers: Record<string, string>) =>
    millrace.call('GET', '/api/me', undefined, { key: null, headers });

  it.each<[string, (key: string) => Record<string, string>]>([
    ['after the word Bearer', (key) => ({ Authorization: `Bearer ${key}` })],
    ['after a lowercase bearer', (key) => ({ Authorization: `bearer ${key}` })],
    [
      'in the header that existing clients use',
      (key) => ({ 'X-Onyx-Authorization': `Bearer ${key}` }),
    ],
    ['in that header, without the word', (key) => ({ 'X-Onyx-Authorization': key })],
    [
      'beside a proxy’s Authorization header',
      (key) => ({ 'X-Onyx-Authorization': key, Authorization: 'Basic eA==' }),
    ],
    [
      'beside an empty Authorization header',
      (key) => ({ 'X-Onyx-Authorization': '', Authorization: `Bearer ${key}` }),
    ],
  ])('is accepted %s', async (_, headers) => {
    expect((await me(headers(reader.api_key))).body).toMatchObject({ id: reader.user_id });
  });

  it.each([
    ['without the word Bearer', (key: string) => key],
    ['after another word', (key: string) => `Basic ${key}`],
    ['without a space after Bearer', (key: string) => `Bearer${key}`],
    ['that is empty', () => 'Bearer '],
  ])('in Authorization %s is refused', async (_, header) => {
    const { status, body } = await me({ Authorization: header(reader.api_key) });
    expect([status, body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(body.detail).toContain('Authorization: Bearer <API_KEY>');
  });

  it('in our own header takes precedence, and no other is tried when it is wrong', async () => {
    const both = (own: string, other: string) =>
      me({ 'X-Onyx-Authorization': own, Authorization: `Bearer ${other}` });
    expect((await both(reader.api_key, writer.api_key)).body.id).toBe(reader.user_id);
    const refused = await both('nonsense', writer.api_key);
    expect([refused.status, refused.body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('of every role is told its user', async () => {
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

  it('may read that an endpoint is deprecated and what replaces it', async () => {
    const { headers } = await millrace.call(
      'POST',
      '/api/chat/send-message-simple-api',
      { persona_id: 0, message: 'Is anybody there?' },
      { key: reader.api_key, headers: page },
    );
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('link')).toContain('rel="successor-version"');
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Link', 'X-Request-Id']));
  });

  it.each<[number, string, string | null]>([
    [401, '/api/me', null],
    [404, '/api/nowhere', null],
    [404, '/api/persona/999999', ''],
    [400, '/api/persona/first', ''],
    [405, '/api/auth/type', null],
  ])('can read the refusal %i of %s', async (status, path, key) => {
    const method = status === 405 ? 'DELETE' : 'GET';
    const options = { key: key === null ? null : reader.api_key, headers: page };
    const answer = await millrace.call(method, path, undefined, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('GET /llm/provider', () => {
  it('lists the models, the default one first', async () => {
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

  it.each(['reader', 'admin'])('reveals no keys and no addresses to a %s', async (who) => {
    const key = who === 'admin' ? adminKey : reader.api_key;
    const { text } = await call('GET', '/llm/provider', key);
    for (const secret of [SECRET, '127.0.0.1', 'secret-path', 'other-path'])
      expect(text).not.toContain(secret);
  });
});
