// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

const account = (key: string) => millrace.call('GET', '/account', undefined, { key });
const patch = (key: string, body: unknown) => millrace.call('PATCH', '/account', body, { key });

describe('your own account', () => {
  it.each([
    ['nothing', {}, 'display_name, time_zone or both'],
    ['an empty name', { display_name: '' }, 'body.display_name'],
    ['an unknown time zone', { time_zone: 'Mars/Olympus' }, 'body.time_zone'],
    ['an offset', { time_zone: '+01:00' }, 'such as Europe/Berlin'],
    ['an empty time zone', { time_zone: '' }, 'body.time_zone'],
    ['a path', { time_zone: '../../etc/passwd' }, 'body.time_zone'],
    ['an oversized time zone', { time_zone: `Europe/${'a'.repeat(10_000)}` }, 'body.time_zone'],
  ])('is not changed by %s', async (_, body, words) => {
    const { key } = await millrace.createWorkspace('Pro');
    const before = (await account(key)).body;
    const answer = await patch(key, body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toContain(words);
    expect((await account(key)).body).toEqual(before);
  });

  it('is the caller’s own, whatever the role', async () => {
    const { key } = await millrace.createWorkspace('Pro');
    const { body: ada } = await millrace.call(
      'POST',
      '/account/members',
      { display_name: 'Ada', role: 'ingest' },
      { key },
    );
    const changed = await patch(ada.api_key, {
      display_name: 'Ada L.',
      time_zone: 'europe/berlin',
      role: 'admin',
      user_id: 'x',
    });
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({
        user_id: ada.user_id,
        display_name: 'Ada L.',
        time_zone: 'Europe/Berlin',
        role: 'ingest',
      }),
    ]);
    expect((await account(key)).body).toMatchObject({ display_name: 'Owner', time_zone: 'UTC' });
  });

  it('changes its time zone once in 24 hours', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Pro');
    const zone = (time_zone: string) => patch(key, { time_zone });
    // The current zone under an alias is not a change.
    expect((await zone('Etc/UTC')).body.time_zone).toBe('Etc/UTC');
    expect((await zone('Asia/Kolkata')).body.time_zone).toBe('Asia/Kolkata');
    const refused = await patch(key, { time_zone: 'America/Lima', display_name: 'Neither' });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
    const when = Date.parse(/at (\S+Z)\./.exec(refused.body.detail)?.[1] ?? '');
    expect(Math.abs(when - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect((await account(key)).body).toMatchObject({
      display_name: 'Owner',
      time_zone: 'Asia/Kolkata',
    });
    expect((await zone('Asia/Calcutta')).status).toBe(200);
    expect((await patch(key, { display_name: 'Name' })).status).toBe(200);
    await sql`update user_account set time_zone_changed_at = time_zone_changed_at - interval '24 hours'
      where workspace_id = ${workspaceId}`.execute(millrace.services.db);
    expect((await zone('America/Lima')).status).toBe(200);
    expect((await zone('Asia/Kolkata')).status).toBe(409);
  });

  it('accepts one of many concurrent time zone changes', async () => {
    const { key } = await millrace.createWorkspace('Pro');
    const zones = ['Asia/Tokyo', 'Europe/Paris', 'America/Lima', 'Africa/Cairo', 'Asia/Dhaka'];
    const answers = await Promise.all(zones.map((time_zone) => patch(key, { time_zone })));
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken.map(({ body }) => body.time_zone)).toEqual([(await account(key)).body.time_zone]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(zones.length - 1);
  });

  it('reports the changed plan and the role of the key', async () => {
    const { key, workspaceId } = await millrace.createWorkspace('Free');
    await millrace.call('PUT', `/manage/admin/workspaces/${workspaceId}/plan`, {
      plan_tier: 'Agency',
    });
    const reading = await createKey(millrace, key, 'read');
    expect((await account(reading.key)).body).toMatchObject({ plan: 'Agency', role: 'read' });
  });
});
