import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { linkTracker } from '#test/support/connector-client.ts';
import { createKey, insertUser } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let millrace: TestMillrace;
let source: TrackerFixture;

beforeAll(async () => {
  millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  source = await startFixture();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});

const SECRET = 'the-secret-of-the-token-0042';
const call: TestMillrace['call'] = (...request) => millrace.call(...request);
const create = (credential_json: object, rest: object = {}) =>
  call('POST', '/manage/credential', { source: 'tracker', credential_json, ...rest });
const stored = async (id: number): Promise<string> =>
  (
    await sql<{ secret: string }>`select secret from credential where id = ${id}`.execute(
      millrace.services.db,
    )
  ).rows[0]?.secret ?? '';
const opened = async (id: number): Promise<unknown> =>
  JSON.parse(millrace.services.secrets.open(await stored(id), `credential:${id}`));

describe('credentials', () => {
  it('that do not fit their source are refused, naming the field without the value', async () => {
    const unknown = await create({ jira_api_token: SECRET, jira_pasword: SECRET });
    expect(unknown.status).toBe(400);
    expect(unknown.body.detail).toContain('body.credential_json.jira_pasword');
    expect(unknown.text).not.toContain(SECRET);
    expect((await create({})).body.detail).toContain('body.credential_json.jira_api_token');
    const masked = await create({ jira_api_token: 'the-...0042' });
    expect(masked.body.detail).toContain('body.credential_json.jira_api_token');
  });

  it('are stored encrypted and shown masked everywhere', async () => {
    const made = await create({ jira_api_token: SECRET }, { name: 'Sealed' });
    expect(made.body).toMatchObject({
      id: expect.any(Number),
      credential: {
        id: made.body.id,
        name: 'Sealed',
        credential_json: { jira_api_token: 'the-...0042' },
      },
    });
    expect(await stored(made.body.id)).not.toContain(SECRET);
    const shown = await Promise.all([
      call('GET', '/manage/credential'),
      call('GET', '/manage/admin/credential'),
      call('GET', `/manage/credential/${made.body.id}`),
      call('GET', '/manage/admin/similar-credentials/jira'),
    ]);
    for (const { status, text } of shown) {
      expect(status).toBe(200);
      expect(text).toContain('the-...0042');
      expect(text).not.toContain(SECRET);
    }
  });

  it('sent back masked keep their secret, whether merged or replaced', async () => {
    const { id } = (await create({ jira_user_email: 'first@example.com', jira_api_token: SECRET }))
      .body;
    const shown = (await call('GET', `/manage/credential/${id}`)).body.credential_json;
    const merged = await call('PUT', `/manage/admin/credential/${id}`, {
      name: 'Renamed',
      credential_json: {
        jira_user_email: 'second@example.com',
        jira_api_token: shown.jira_api_token,
      },
    });
    expect(merged.body).toMatchObject({ name: 'Renamed' });
    expect(await opened(id)).toEqual({
      jira_user_email: 'second@example.com',
      jira_api_token: SECRET,
    });

    await call('PUT', `/manage/admin/credential/${id}`, {
      credential_json: { jira_user_email: 'third@example.com' },
    });
    expect(await opened(id)).toEqual({
      jira_user_email: 'third@example.com',
      jira_api_token: SECRET,
    });

    const replaced = await call('PATCH', `/manage/credential/${id}`, {
      credential_json: { jira_api_token: shown.jira_api_token },
      source: 'tracker',
      admin_public: true,
    });
    expect(replaced.body.name).toBe('Renamed');
    expect(await opened(id)).toEqual({ jira_api_token: SECRET });

    const wrong = await call('PATCH', `/manage/credential/${id}`, {
      credential_json: { jira_api_token: 'xoxb...9999' },
    });
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('masked')]);
    expect(await opened(id)).toEqual({ jira_api_token: SECRET });
  });

  it('start with the empty one, which cannot be changed or deleted', async () => {
    const [first] = (await call('GET', '/manage/admin/credential')).body;
    expect(first).toMatchObject({ id: 0, source: 'not_applicable', credential_json: {} });
    expect((await call('GET', '/manage/credential/0')).body).toEqual(first);
    const refused = [
      await call('PATCH', '/manage/credential/0', { credential_json: {} }),
      await call('PUT', '/manage/admin/credential/0', { credential_json: {} }),
      await call('DELETE', '/manage/credential/0'),
      await call('DELETE', '/manage/admin/credential/force/0'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it('that are deleted or never existed are not found', async () => {
    const { id } = (await create({ jira_api_token: SECRET })).body;
    expect((await call('DELETE', `/manage/admin/credential/${id}`)).body).toMatchObject({
      success: true,
      data: id,
    });
    for (const [method, path] of [
      ['GET', `/manage/credential/${id}`],
      ['DELETE', `/manage/credential/${id}`],
      ['DELETE', `/manage/credential/force/${id}`],
    ] as const) {
      expect((await call(method, path)).status, `${method} ${path}`).toBe(404);
    }
  });

  it('kept private are visible only to their owner', async () => {
    const { db } = millrace.services;
    const { id } = (await create({ jira_api_token: SECRET }, { admin_public: false })).body;
    const { id: keyId, key } = await createKey(millrace, millrace.adminKey, 'admin');
    const { rows } = await sql<{ workspace_id: string }>`
      select workspace_id from api_key where id = ${keyId}`.execute(db);
    const colleague = await insertUser(db, rows[0]?.workspace_id ?? '');
    await sql`update api_key set user_id = ${colleague} where id = ${keyId}`.execute(db);
    const seenBy = async (options: { key?: string }) =>
      (await call('GET', '/manage/credential', undefined, options)).body.map(
        (one: { id: number }) => one.id,
      );
    expect(await seenBy({})).toContain(id);
    expect(await seenBy({ key })).not.toContain(id);
    expect((await call('GET', `/manage/credential/${id}`, undefined, { key })).status).toBe(404);
  });

  it('in use are deleted only together with their pairs', async () => {
    const { credentialId, pairId } = await linkTracker(millrace, { ...source, name: 'Forced' });
    const plain = await call('DELETE', `/manage/credential/${credentialId}`);
    expect([plain.status, plain.body.detail]).toEqual([400, expect.stringContaining('in use')]);
    const forced = await call('DELETE', `/manage/credential/force/${credentialId}`);
    expect(forced.body).toMatchObject({ success: true, data: credentialId });
    expect((await call('GET', `/manage/credential/${credentialId}`)).status).toBe(404);
    await until(async () => (await call('GET', `/manage/admin/cc-pair/${pairId}`)).status === 404);
  });
});
