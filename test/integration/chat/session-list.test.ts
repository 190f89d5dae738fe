import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

let stage: ChatStage;
let owner: ChatUser;
beforeAll(async () => {
  stage = await startChatStage();
  owner = await stage.openUser();
});
afterAll(() => stage[Symbol.asyncDispose]());

const LIST = '/chat/get-user-chat-sessions';

async function idsOf(user: ChatUser, query = ''): Promise<string[]> {
  const { body } = await user.call('GET', `${LIST}${query}`);
  return body.sessions.map(({ id }: { id: string }) => id);
}

async function setUpdated(id: string, updated: string): Promise<void> {
  await sql`update chat_session set updated_at = ${updated}, created_at = ${updated}
    where id = ${id}`.execute(stage.millrace.services.db);
}

describe('the list of chat sessions', () => {
  it.each([
    ['page_size=0', 'query.page_size'],
    ['page_size=101', 'query.page_size'],
    ['page_size=ten', 'query.page_size'],
    ['before=yesterday', 'query.before'],
    ['before=0000-01-01T00:00:00Z', 'query.before'],
    ['before=9999-12-31T23:59:59-23:59', 'query.before'],
    ['project_id=99999999999', 'query.project_id'],
    ['only_non_project_chats=perhaps', 'query.only_non_project_chats'],
  ])('with %s is refused', async (query, field) => {
    const refused = await owner.call('GET', `${LIST}?${query}`);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.detail).toContain(field);
  });

  it('is paged without gaps or repeats, even among sessions of the same moment', async () => {
    const user = await stage.openUser();
    const made: string[] = [];
    for (const updated of [
      '2026-03-01T10:00:00.000001Z',
      '2026-03-01T10:00:00.000002Z',
      '2026-03-01T10:00:00.000002Z',
      '2026-03-01T10:00:00.000002Z',
      '2026-03-01T10:00:00.000003Z',
      '2026-03-01T10:00:00.100000Z',
    ]) {
      const id = await user.createSession();
      await setUpdated(id, updated);
      made.push(id);
    }
    const filter = 'include_failed_chats=true&page_size=2';
    const seen: string[] = [];
    let before = '';
    for (let page = 0; page < 10; page += 1) {
      const { body } = await user.call('GET', `${LIST}?${filter}${before}`);
      seen.push(...body.sessions.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
      before = `&before=${body.sessions.at(-1).time_updated}`;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(seen.slice(0, 2)).toEqual([made[5], made[4]]);
    expect(seen.at(-1)).toBe(made[0]);
    const whole = await user.call('GET', `${LIST}?include_failed_chats=true`);
    expect([whole.body.sessions.length, whole.body.has_more]).toEqual([6, false]);
    expect(whole.body.sessions[5]).toEqual({
      id: made[0],
      name: null,
      persona_id: 0,
      time_created: expect.any(String),
      time_updated: '2026-03-01T10:00:00.000001Z',
      shared_status: 'private',
      current_alternate_model: null,
      current_temperature_override: null,
    });
  });

  it('accepts `before` with any offset or with none', async () => {
    const user = await stage.openUser();
    const id = await user.createSession();
    await setUpdated(id, '2026-03-01T10:00:00.5Z');
    const until = (before: string) =>
      idsOf(user, `?include_failed_chats=true&before=${encodeURIComponent(before)}`);
    expect(await until('2026-03-01T12:00:00.500001+02:00')).toEqual([id]);
    expect(await until('2026-03-01T12:00:00.5+02:00')).toEqual([]);
    expect(await until('2026-03-01T10:00:00.500001')).toEqual([id]);
    expect(await until('2026-03-01T10:00:00')).toEqual([]);
  });

  it('leaves out sessions still unused five minutes after they were created', async () => {
    const user = await stage.openUser();
    const [fresh, old, used] = [
      await user.createSession(),
      await user.createSession(),
      await user.createSession(),
    ];
    await setUpdated(old, '2026-03-01T10:00:00Z');
    await setUpdated(used, '2026-03-01T10:00:00Z');
    await stage.addMessage(used, { role: 'user', content: 'Hello' });
    expect(await idsOf(user)).toEqual([fresh, used]);
    expect((await idsOf(user, '?include_failed_chats=true')).length).toBe(3);
  });
});
