// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTION_TYPES, ACTIONS, type ActionType } from '#src/points/actions.ts';
import { type Award, awardPoints } from '#src/points/award-points.ts';
import type { UserId } from '#src/ids.ts';
import { createPointsUser } from '#test/support/points-user.ts';
import { insertUser } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace({ RATE_LIMIT_PER_MINUTE: '100000' });
});
afterAll(() => millrace[Symbol.asyncDispose]());

const newUser = () => createPointsUser(millrace);

/** The totals, and the sums of the ledger. */
async function sums(userId: string) {
  const { rows } = await sql<{ totals: unknown; ledger: unknown; awards: number }>`
    select json_build_object('points', a.points, 'lucky', a.lucky_finds, 'last', a.points) as totals,
      (select json_build_object('points', sum(points), 'lucky', count(*) filter (where is_lucky_find),
        'last', max(points_total)) from points_award w where w.user_id = a.user_id) as ledger,
      (select count(*)::int from points_award w where w.user_id = a.user_id) as awards
    from points_account a where user_id = ${userId}`.execute(millrace.services.db);
  return rows[0];
}

const hundred = <T>(work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 100 }, (_, n) => work(n)));

describe('a hundred concurrent posts', () => {
  it.each(ACTION_TYPES)(
    'of %s get exactly the cap, and the totals match the ledger',
    async (type) => {
      const { userId, post } = await newUser();
      const answers = await hundred(() => post({ action_type: type }));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const { points, dailyCap } = ACTIONS[type];
      const recorded = answers.filter(({ body }) => body.action_recorded);
      expect(recorded.map(({ body }) => body.points_total).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: dailyCap }, (_, n) => (n + 1) * points),
      );
      for (const { body } of answers.filter((answer) => !answer.body.action_recorded)) {
        expect(body).toMatchObject({
          points_awarded: 0,
          points_total: points * dailyCap,
          is_lucky_find: false,
          streak_count: ACTIONS[type].streakImpact,
          achievement_unlocked: null,
        });
      }
      const { totals, ledger, awards } = (await sums(userId)) ?? {};
      expect(totals).toEqual(ledger);
      expect([totals, awards]).toMatchObject([{ points: points * dailyCap }, dailyCap]);
    },
  );

  it('with one Idempotency-Key get one award and one answer', async () => {
    const { userId, post } = await newUser();
    const answers = await hundred(() =>
      post({ action_type: 'share' }, { 'Idempotency-Key': 'the-one' }),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ action_recorded: true, points_total: 25 });
    expect(await sums(userId)).toMatchObject({ awards: 1, totals: { points: 25 } });
  });

  it('by clients and by the service share one cap, and each action counts once', async () => {
    const { workspaceId, userId, post } = await newUser();
    const services = millrace.services;
    const outcomes = await hundred(async (n) => {
      if (n % 2 === 0)
        return (await post({ action_type: 'search' })).body.action_recorded as boolean;
      const sourceId = `request ${n % 10}`;
      const award = { workspaceId, userId, action: 'search', source: 'service', sourceId } as const;
      return (await awardPoints(services, award)).isRecorded;
    });
    expect(outcomes).toContain(true);
    const { totals, ledger, awards } = (await sums(userId)) ?? {};
    expect([totals, awards]).toEqual([ledger, ACTIONS.search.dailyCap]);
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from points_award where user_id = ${userId} and source = 'service'
      group by source_id`.execute(services.db);
    expect(rows.every(({ n }) => n === 1)).toBe(true);
  });

  it('of all actions by two users of a workspace leave each with their own points', async () => {
    const { workspaceId, userId } = await newUser();
    const other = (await insertUser(millrace.services.db, workspaceId)) as UserId;
    const given: Award[] = Array.from({ length: 120 }, (_, n) => ({
      workspaceId,
      userId: n % 2 === 0 ? userId : other,
      action: ACTION_TYPES[n % ACTION_TYPES.length] ?? 'login',
      source: 'client',
      sourceId: null,
    }));
    // Every third one is lucky, so that the totals have something to lose.
    const outcomes = await Promise.all(
      given.map((award, n) =>
        awardPoints(millrace.services, award, () => (n % 3 === 0 ? 0 : 0.999)),
      ),
    );
    for (const id of [userId, other]) {
      const mine = outcomes.filter((_, n) => given[n]?.userId === id);
      const { totals, ledger } = (await sums(id)) ?? {};
      expect(totals).toEqual(ledger);
      expect(totals).toMatchObject({
        points: mine.reduce((sum, { pointsAwarded }) => sum + pointsAwarded, 0),
        lucky: mine.filter(({ isLuckyFind }) => isLuckyFind).length,
      });
    }
  });
});

describe('a month of awards at random moments', () => {
  it('leaves totals, streak and achievements that match the ledger', async () => {
    const { workspaceId, userId, key } = await newUser();
    const services = { ...millrace.services };
    let at = Date.parse('2024-02-20T00:00:00Z');
    services.clock = () => new Date(at);
    for (let n = 0; n < 150; n += 1) {
      at += ((n * 7919) % 17) * 3_600_000;
      const action: ActionType = ACTION_TYPES[(n * 31) % ACTION_TYPES.length] ?? 'login';
      await awardPoints(services, {
        workspaceId,
        userId,
        action,
        source: 'client',
        sourceId: null,
      });
    }
    const { rows } = await sql<{ day: string; impact: number }>`
      select to_char(day, 'YYYY-MM-DD') as day, max(streak_impact)::int as impact from points_award
      where user_id = ${userId} group by day order by day`.execute(services.db);
    let [current, longest, lastMs] = [0, 0, 0];
    for (const { day, impact } of rows) {
      current = Date.parse(day) - lastMs === 86_400_000 ? current + impact : impact;
      longest = Math.max(longest, current);
      lastMs = Date.parse(day);
    }
    const { rows: accounts } = await sql`
      select current_streak, longest_streak from points_account where user_id = ${userId}`.execute(
      services.db,
    );
    expect(accounts).toEqual([{ current_streak: current, longest_streak: longest }]);
    const { totals, ledger } = (await sums(userId)) ?? {};
    expect(totals).toEqual(ledger);
    const { body } = await millrace.call('GET', '/gamification/status', undefined, { key });
    expect(body).toMatchObject({ current_streak: 0, longest_streak: longest });
    const { rows: announced } = await sql<{ achievement: string }>`
      select achievement from points_award where user_id = ${userId} and achievement is not null
      order by id`.execute(services.db);
    expect(body.achievements_unlocked).toEqual(
      expect.arrayContaining(announced.map(({ achievement }) => achievement)),
    );
    expect(new Set(body.achievements_unlocked).size).toBe(body.achievements_unlocked.length);
  });
});
