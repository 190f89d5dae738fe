import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatStage, type ChatUser, startChatStage } from '#test/support/chat-stage.ts';

let stage: ChatStage;
beforeAll(async () => {
  stage = await startChatStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Found {
  groups: { title: string; chats: { id: string; name: string }[] }[];
  has_more: boolean;
  next_page: number | null;
}

async function search(user: ChatUser, query: string, rest = ''): Promise<Found> {
  const path = `/chat/search?query=${encodeURIComponent(query)}${rest}`;
  return (await user.call('GET', path)).body;
}
const idsOf = ({ groups }: Found): string[] =>
  groups.flatMap(({ chats }) => chats.map(({ id }) => id));

describe('a search of chat sessions', () => {
  it.each([
    ['page=0', 'query.page'],
    ['page=100000', 'query.page'],
    ['page_size=101', 'query.page_size'],
    [`query=${'x'.repeat(1_001)}`, 'query.query'],
  ])('with %s is refused', async (query, field) => {
    const user = await stage.openUser();
    const refused = await user.call('GET', `/chat/search?${query}`);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(field);
  });

  it('matches pattern characters literally', async () => {
    const user = await stage.openUser();
    const plain = await user.createSession({ description: 'Anything at all' });
    const odd = await user.createSession({ description: String.raw`100% of a_b in C:\temp` });
    expect(idsOf(await search(user, '%'))).toEqual([odd]);
    expect(idsOf(await search(user, '_'))).toEqual([odd]);
    expect(idsOf(await search(user, String.raw`C:\temp`))).toEqual([odd]);
    expect(idsOf(await search(user, '100%'))).toEqual([odd]);
    expect(idsOf(await search(user, '\\'))).toEqual([odd]);
    expect(idsOf(await search(user, "' or true --"))).toEqual([]);
    expect(idsOf(await search(user, 'ANYTHING'))).toEqual([plain]);
  });

  it('finds all its words in a name or in one message of any branch, and skips deleted sessions', async () => {
    const user = await stage.openUser();
    const named = await user.createSession({ description: 'Kettle and descaler' });
    const asked = await user.createSession();
    const question = await stage.addMessage(asked, { role: 'user', content: 'A descaler?' });
    await stage.addMessage(asked, { role: 'assistant', content: 'For the kettle: a descaler.' });
    await stage.addMessage(asked, { role: 'assistant', content: 'Neither.', parentId: question });
    const apart = await user.createSession({ description: 'Kettle' });
    await stage.addMessage(apart, { role: 'user', content: 'descaler' });
    const deleted = await user.createSession({ description: 'Kettle descaler' });
    await user.call('DELETE', `/chat/delete-chat-session/${deleted}`);
    const found = idsOf(await search(user, ' descaler  kettle'));
    expect(found.toSorted()).toEqual([named, asked].toSorted());
  });

  it("groups by day in the user's time zone and has pages", async () => {
    const user = await stage.openUser();
    const { db } = stage.millrace.services;
    await sql`update user_account set time_zone = 'Pacific/Kiritimati'
      where id = ${user.userId}`.execute(db);
    const ages = [0, 1, 2, 6, 7, 29, 30, 400];
    for (const age of ages) {
      const id = await user.createSession({ description: `Day ${age}` });
      // Noon of that day in that zone.
      await sql`update chat_session set updated_at =
          ((now() at time zone 'Pacific/Kiritimati')::date - ${age}::integer + time '12:00')
            at time zone 'Pacific/Kiritimati'
        where id = ${id}`.execute(db);
    }
    const whole = await search(user, '');
    const groups = whole.groups.map(({ title, chats }) => [title, chats.map(({ name }) => name)]);
    expect(groups).toEqual([
      ['Today', ['Day 0']],
      ['Yesterday', ['Day 1']],
      ['This Week', ['Day 2', 'Day 6']],
      ['This Month', ['Day 7', 'Day 29']],
      ['Older', ['Day 30', 'Day 400']],
    ]);
    expect([whole.has_more, whole.next_page]).toEqual([false, null]);
    const second = await search(user, 'day', '&page=2&page_size=3');
    expect(second.groups.flatMap(({ chats }) => chats.map(({ name }) => name))).toEqual([
      'Day 6',
      'Day 7',
      'Day 29',
    ]);
    expect([second.has_more, second.next_page]).toEqual([true, 3]);
    expect(await search(user, 'day', '&page=4&page_size=3')).toEqual({
      groups: [],
      has_more: false,
      next_page: null,
    });
  });
});
