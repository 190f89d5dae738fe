import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSecretBox } from '#src/platform/crypto.ts';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { link, linkTracker, runEnded, trackerRequest } from '#test/support/connector-client.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

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

const call: TestMillrace['call'] = (...request) => millrace.call(...request);
const secretOf = async (id: number): Promise<string> => {
  const { rows } = await sql<{ secret: string }>`
    select secret from credential where id = ${id}`.execute(millrace.services.db);
  return rows[0]?.secret ?? '';
};
const setSecret = (id: number, secret: string) =>
  sql`update credential set secret = ${secret} where id = ${id}`.execute(millrace.services.db);
const lastRun = async (pairId: number) =>
  (await call('GET', `/manage/admin/cc-pair/${pairId}/index-attempts`)).body.items[0];

it('a secret sealed with another key is reported, hides nothing else, and works again with its key', async () => {
  const pair = await linkTracker(millrace, {
    name: 'Another key',
    settings: source.settings,
    credential: source.credential,
  });
  const sealed = await secretOf(pair.credentialId);
  const other = createSecretBox([randomBytes(32)]);
  const foreign = other.seal(JSON.stringify(source.credential), `credential:${pair.credentialId}`);
  await setSecret(pair.credentialId, foreign);

  const listed = await call('GET', '/manage/credential');
  expect(listed.status).toBe(200);
  const shown = listed.body.find(({ id }: { id: number }) => id === pair.credentialId);
  expect(shown).toMatchObject({ credential_json: {} });
  expect(shown.unreadable_reason).toContain('ENCRYPTION_KEY');
  expect((await call('GET', `/manage/admin/cc-pair/${pair.pairId}`)).status).toBe(200);
  expect((await call('GET', '/manage/admin/connector/status')).status).toBe(200);

  const merged = await call('PUT', `/manage/admin/credential/${pair.credentialId}`, {
    credential_json: { jira_api_token: 'another-token-0123' },
  });
  expect(merged.status).toBe(400);
  expect(merged.body.detail).toContain(`PATCH /manage/credential/${pair.credentialId}`);
  expect(await secretOf(pair.credentialId)).toBe(foreign);

  await call('POST', `/manage/admin/cc-pair/${pair.pairId}/run`, { from_beginning: true });
  await expect
    .poll(async () => JSON.stringify(await lastRun(pair.pairId)))
    .toContain('ENCRYPTION_KEY');
  const held = (await call('GET', `/manage/admin/cc-pair/${pair.pairId}`)).body;
  expect(['PAUSED', 'INVALID']).not.toContain(held.status);

  await setSecret(pair.credentialId, sealed);
  await call('POST', `/manage/admin/cc-pair/${pair.pairId}/run`, { from_beginning: true });
  await runEnded(millrace, pair.pairId);
  expect((await lastRun(pair.pairId)).status).toBe('success');
});

it('an unreadable secret can be entered again as a whole', async () => {
  const { id } = (
    await call('POST', '/manage/credential', {
      source: 'tracker',
      credential_json: source.credential,
    })
  ).body;
  await setSecret(id, 'damaged');
  const connector = await call(
    'POST',
    '/manage/admin/connector',
    trackerRequest('Damaged', source.settings),
  );
  const refused = await link(millrace, connector.body.id, id);
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toContain(`credential:${id} is damaged`);
  const entered = await call('PATCH', `/manage/credential/${id}`, {
    credential_json: source.credential,
  });
  expect(entered.body).toMatchObject({ id, unreadable_reason: null });
  expect((await link(millrace, connector.body.id, id)).body.success).toBe(true);
});

it('a secret copied from another row is not opened, even within the workspace', async () => {
  const make = async (token: string): Promise<number> =>
    (
      await call('POST', '/manage/credential', {
        source: 'tracker',
        credential_json: { jira_api_token: token },
      })
    ).body.id;
  const [mine, theirs] = [await make('mine-0123456789'), await make('theirs-0123456789')];
  await setSecret(mine, await secretOf(theirs));
  const { body, text } = await call('GET', `/manage/credential/${mine}`);
  expect(body.credential_json).toEqual({});
  expect(body.unreadable_reason).toContain('belongs to another row');
  expect(text).not.toContain('thei');
});

it('a secret echoed by a source is not written anywhere', async () => {
  const token = String(source.credential['jira_api_token']);
  const pair = await linkTracker(millrace, {
    name: 'Repeats',
    settings: source.settings,
    credential: source.credential,
  });
  source.server.fault = ({ headers }) => {
    const sent = headers.authorization ?? '';
    const plain = Buffer.from(sent.replace('Basic ', ''), 'base64').toString();
    const words = `Who is ${sent}, ${plain}, ${token}?`;
    return { kind: 'status', status: 403, body: { errorMessages: [words] } };
  };
  try {
    await call('POST', `/manage/admin/cc-pair/${pair.pairId}/run`, { from_beginning: true });
    await runEnded(millrace, pair.pairId);
  } finally {
    source.server.fault = () => null;
  }
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(
    millrace.services.db,
  );
  let said = false;
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(name)} t`.execute(millrace.services.db);
    for (const { row } of rows) {
      said ||= row.includes('Who is [secret]');
      expect(row.includes(token), `${name}: ${row.slice(0, 200)}`).toBe(false);
    }
  }
  expect(said).toBe(true);
});
