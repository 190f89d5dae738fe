import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import type { SourceFault } from '#test/support/fake-source.ts';
import { link, runEnded, trackerRequest } from '#test/support/connector-client.ts';
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
const create = (request: object) => call('POST', '/manage/admin/connector', request);
const tracker = (name: string, changes: Record<string, unknown> = {}) =>
  trackerRequest(name, source.settings, changes);
const credentialFor = async (credential_json: object, kind = 'tracker'): Promise<number> =>
  (await call('POST', '/manage/credential', { source: kind, credential_json })).body.id;
const busy = (seconds: string): SourceFault => ({
  kind: 'status',
  status: 429,
  headers: { 'retry-after': seconds },
});
const wrongToken = { jira_user_email: 'x@example.com', jira_api_token: 'wrong' };
const nameOf = ({ name }: { name: string }): string => name;
const pairsNamed = async (name: string) =>
  (await call('GET', '/manage/admin/connector/status')).body.filter(
    (pair: { name: string }) => pair.name === name,
  );

describe('linking', () => {
  it('answers 404 for an unknown connector or credential', async () => {
    const { id } = (await create(tracker('Half known'))).body;
    const answers = await Promise.all([link(millrace, 999_999, 0), link(millrace, id, 999_999)]);
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ]);
  });

  it.each<[string, () => Promise<number>, string]>([
    ['the empty credential', async () => 0, 'needs a credential'],
    [
      'a credential of another source',
      () => credentialFor({ slack_bot_token: 'xoxb-1' }, 'slack'),
      'is for slack',
    ],
    [
      'a credential that the source refuses',
      () => credentialFor({ jira_user_email: 'x@example.com', jira_api_token: 'wrong' }),
      'Client must be authenticated',
    ],
  ])('is refused for %s and creates nothing', async (name, credential, words) => {
    const { id } = (await create(tracker(`For ${name}`))).body;
    const { status, body } = await link(millrace, id, await credential());
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain(words);
    expect((await call('GET', `/manage/connector/${id}`)).body.credential_ids).toEqual([]);
    expect(await pairsNamed(`For ${name}`)).toEqual([]);
  });

  it('asks a source first, and keeps nothing of what was asked with', async () => {
    const asked = (credential: object, changes: object = {}) =>
      call('POST', '/manage/admin/connector/check', {
        source: 'tracker',
        connector_specific_config: { ...source.settings, ...changes },
        ...credential,
      });
    const before = (await call('GET', '/manage/admin/credential')).body.length;
    expect((await asked({ credential_json: source.credential })).body).toEqual({ status: 'ok' });
    const stored = await credentialFor(source.credential);
    expect((await asked({ credential_id: stored })).status).toBe(200);
    const wrong = await asked({ credential_json: wrongToken });
    expect([wrong.status, wrong.body.detail]).toEqual([
      400,
      expect.stringContaining('Client must be authenticated'),
    ]);
    const unknown = await asked({ credential_id: stored }, { colour: 'red' });
    expect(unknown.body.detail).toMatch(/^connector_specific_config\.colour: is not known/);
    expect((await asked({})).body.detail).toContain('needs a credential');
    expect((await asked({ credential_id: stored, credential_json: {} })).status).toBe(400);
    expect((await asked({ credential_id: 999_999 })).status).toBe(404);
    expect((await call('GET', '/manage/admin/credential')).body).toHaveLength(before + 1);
    expect((await call('GET', '/manage/connector')).body.map(nameOf)).not.toContain('red');
  });

  it('creates a connector with its credential in one call, or nothing', async () => {
    const create = (name: string, credential_id: number) =>
      call('POST', '/manage/admin/connector/with-credential', { ...tracker(name), credential_id });
    const wrong = await credentialFor(wrongToken);
    const refused = await create('In one call', wrong);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringContaining('Client must be authenticated'),
    ]);
    expect((await create('In one call', 999_999)).status).toBe(404);
    expect((await call('GET', '/manage/connector')).body.map(nameOf)).not.toContain('In one call');
    const { status, body } = await create('In one call', await credentialFor(source.credential));
    expect([status, body.success]).toEqual([200, true]);
    expect((await call('GET', `/manage/admin/cc-pair/${body.data}`)).body.name).toBe('In one call');
    await runEnded(millrace, body.data);
  });

  it('reports what the source cannot find', async () => {
    const credential = await credentialFor(source.credential);
    const missing = { ...source.settings, project_key: 'NONE' };
    const { id } = (await create(tracker('No project', { connector_specific_config: missing })))
      .body;
    expect((await link(millrace, id, credential)).body.detail).toMatch(
      /^Connector validation error: .*No project could be found with key 'NONE'/,
    );
  });

  it.each<[string, string, SourceFault, RegExp]>([
    ['a host without an address', 'http://nowhere.invalid', { kind: 'reset' }, /nowhere\.invalid/],
    ['a host that hangs up', '', { kind: 'reset' }, /127\.0\.0\.1/],
    ['a host that asks to wait', '', busy('120'), /answered 429/],
    ['a private address', 'http://10.1.2.3', { kind: 'reset' }, /10\.1\.2\.3/],
  ])('fails for %s', async (name, url, fault, words) => {
    const settings = url === '' ? source.settings : { tracker_base_url: url };
    const { id } = (await create(tracker(name, { connector_specific_config: settings }))).body;
    const credential = await credentialFor(source.credential);
    source.server.fault = () => fault;
    const { status, body } = await link(millrace, id, credential);
    source.server.fault = () => null;
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toMatch(/^Connector validation error: /);
    expect(body.detail).toMatch(words);
    expect(await pairsNamed(name)).toEqual([]);
  });

  it('creates one pair for two concurrent calls', async () => {
    const { id } = (await create(tracker('Race'))).body;
    const credential = await credentialFor(source.credential);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => link(millrace, id, credential)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const made = answers.filter(({ body }) => body.success);
    expect(made).toHaveLength(1);
    for (const { body } of answers.filter((answer) => !answer.body.success)) {
      expect(body).toEqual({
        success: false,
        message: `Connector ${id} already has Credential ${credential}`,
        data: id,
      });
    }
    const pairs = await pairsNamed('Race');
    expect(pairs.map((pair: { cc_pair_id: number }) => pair.cc_pair_id)).toEqual([
      made[0]?.body.data,
    ]);
    await runEnded(millrace, made[0]?.body.data);
  });

  it('refuses a pair name that is taken, and generates one when none is given', async () => {
    const [first, second] = await Promise.all([
      credentialFor(source.credential),
      credentialFor(source.credential),
    ]);
    const { id } = (await create(tracker('Named'))).body;
    expect((await link(millrace, id, first)).body.success).toBe(true);
    const taken = await link(millrace, id, second, { name: 'Named' });
    expect([taken.status, taken.body.detail]).toEqual([
      400,
      expect.stringContaining('Name must be unique'),
    ]);
    expect((await link(millrace, id, second)).body.success).toBe(true);
    expect(await pairsNamed('Named (2)')).toHaveLength(1);
  });
});
