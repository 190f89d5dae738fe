import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '#src/api/routes/index.ts';
import type { Role } from '#src/tables/accounts.ts';
import { type Attack, attacksOn, leakedIn } from '#test/support/attacks.ts';
import { dumpWorkspace } from '#test/support/dump-workspace.ts';
import {
  answersText,
  callsTools,
  isShownTool,
  type LlmRequestBody,
  type ScriptedLlm,
  startLlm,
} from '#test/support/scripted-llm.ts';
import { makeOwnThings } from '#test/support/seed-chat.ts';
import { type SeededWorkspace, seedWorkspace, SHARED_PAGE } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

/** Tables whose rows belong to a user, not to the workspace. */
const PERSONAL = [
  'agent',
  'project',
  'project_file',
  'user_file',
  'user_file_chunk',
  'stored_file',
  'chat_session',
  'chat_message',
  'chat_feedback',
  'chat_run',
  'chat_run_part',
];
const ROLES: Role[] = ['admin', 'member', 'read'];

let llm: ScriptedLlm;
let millrace: TestMillrace;
let a: SeededWorkspace;
let b: SeededWorkspace;
/** Workspace A's rows before its colleagues were added. */
let before: Record<string, string[]>;
const colleagues = new Map<Role, string>();

beforeAll(async () => {
  llm = await startLlm((body) => (isFirstCall(body) ? SEARCHES : answersText('Deep enough.')));
  millrace = await startTestMillrace({
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
    OPEN_URL_POLICY: 'any',
    RATE_LIMIT_PER_MINUTE: '100000',
  });
  a = await seedWorkspace(millrace, 'zanzibarium');
  b = await seedWorkspace(millrace, 'kattegatium');
  before = await dumpWorkspace(millrace.services.db, a.workspaceId);
  for (const role of ROLES) {
    const member = { display_name: 'Colleague', role };
    const added = await millrace.call('POST', '/account/members', member, { key: a.adminKey });
    colleagues.set(role, added.body.api_key);
  }
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});
beforeEach(() => {
  llm.calls.length = 0;
});

/** A model that searches and opens everything it can. */
const SEARCHES = callsTools([
  { name: 'internal_search', args: { queries: ['harbour', 'depth'] } },
  { name: 'open_url', args: { urls: [SHARED_PAGE] } },
]);
const isFirstCall = (body: LlmRequestBody): boolean =>
  isShownTool(body, 'internal_search') && body.messages.at(-1)?.role !== 'tool';

const attacksAt = (paths: RegExp, target: SeededWorkspace, own: SeededWorkspace): Attack[] =>
  ROUTES.filter(({ path }) => paths.test(path)).flatMap((route) => attacksOn(route, target, own));
const ASKING = /^\/chat\/send-/;
const CONVERSING = /^\/(chat|user|persona|tool|search|web-search|query|admin\/search|me$|llm)/;
const toldToModel = (): string => JSON.stringify(llm.calls.map(({ body }) => body));

describe('a question from a stranger', () => {
  it('shows the model nothing of another workspace, whatever the question names', async () => {
    const own = { ...b, ...(await makeOwnThings(millrace, b.adminKey)) };
    for (const attack of attacksAt(ASKING, a, own)) {
      const { method, path, body } = attack;
      const answer = await millrace.call(method, path, body, { key: b.adminKey });
      expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(500);
      const secrets = [a.marker, ...a.secretIds];
      expect(leakedIn(answer, attack, secrets), `${path}: ${answer.text}`).toEqual([]);
    }
    const told = toldToModel();
    for (const secret of [a.marker, ...a.secretIds]) expect(told).not.toContain(secret);
    // The model saw the stranger's own data: documents, tools and pages.
    expect(told).toContain(`The harbour of ${b.marker} is deep.`);
    expect(told).toContain(`depth_${b.marker}`);
  });
});

describe('a colleague', () => {
  it.each(ROLES)('as %s neither sees nor changes personal data', async (role) => {
    const key = colleagues.get(role) ?? '';
    // A read-only key cannot create projects and files.
    const maker = role === 'read' ? (colleagues.get('member') ?? '') : key;
    const own = { ...b, ...(await makeOwnThings(millrace, maker)) };
    // Shared data may be seen by colleagues and changed by some of them.
    const target = { ...a, publicAgentId: a.agentId, sharedSessionId: a.chatSessionId };
    const secrets = [a.diaryWord, a.chatSessionId, a.userFileId, a.chatFileId];
    const attacks = attacksAt(CONVERSING, target, own);
    expect(attacks.length).toBeGreaterThan(150);
    for (const attack of attacks) {
      const { method, path, body, headers } = attack;
      const answer = await millrace.call(method, path, body, { key, headers });
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
      expect(leakedIn(answer, attack, secrets), `${method} ${path}: ${answer.text}`).toEqual([]);
    }
    const told = toldToModel();
    for (const secret of secrets) expect(told).not.toContain(secret);
    expect(told).toContain(`The harbour of ${a.marker} is deep.`);
    const after = await dumpWorkspace(millrace.services.db, a.workspaceId);
    for (const table of PERSONAL) {
      expect(before[table]?.length, table).toBeGreaterThan(0);
      expect(after[table], table).toEqual(expect.arrayContaining(before[table] ?? []));
    }
  });

  it('may read a shared session but not change it', async () => {
    const key = colleagues.get('admin') ?? '';
    const path = `/chat/get-chat-session/${a.sharedSessionId}`;
    const read = (query: string, by: string) =>
      millrace.call('GET', path + query, undefined, { key: by });
    expect((await read('?is_shared=true', key)).body.description).toBe(`Shared ${a.marker}`);
    expect((await read('', key)).status).toBe(404);
    expect((await read('?is_shared=true', b.adminKey)).status).toBe(404);
    const attempts: [string, string, unknown][] = [
      ['PATCH', `/chat/chat-session/${a.sharedSessionId}`, { sharing_status: 'private' }],
      ['PUT', '/chat/rename-chat-session', { chat_session_id: a.sharedSessionId, name: 'Taken' }],
      ['DELETE', `/chat/delete-chat-session/${a.sharedSessionId}`, undefined],
      ['DELETE', `/chat/session/${a.sharedSessionId}`, undefined],
      ['POST', '/chat/send-chat-message', { message: 'Hi', chat_session_id: a.sharedSessionId }],
    ];
    for (const [method, where, body] of attempts) {
      expect((await millrace.call(method, where, body, { key })).status, where).toBe(404);
    }
    expect((await read('', a.adminKey)).body.description).toBe(`Shared ${a.marker}`);
  });
});
