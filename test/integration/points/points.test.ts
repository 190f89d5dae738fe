// @module-tag smoke
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACHIEVEMENTS } from '#src/points/achievements.ts';
import { awardPoints } from '#src/points/award-points.ts';
import { localDateIn } from '#src/points/local-date.ts';
import { createPointsUser } from '#test/support/points-user.ts';
import { createKey } from '#test/support/seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace({
    RATE_LIMIT_PER_MINUTE: '100000',
    LUCKY_FIND_PROBABILITY: '0',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

const newUser = () => createPointsUser(millrace);

describe('a reported action', () => {
  it.each<[string, unknown, string[]]>([
    ['an unknown action_type', { action_type: 'sleep' }, ['body.action_type', 'login', 'outreach']],
    ['no action_type', {}, ['body.action_type']],
    ['an action_type in the wrong case', { action_type: 'Login' }, ['body.action_type']],
    ['a context that is a list', { action_type: 'login', context: [] }, ['body.context']],
    ['a context that is a string', { action_type: 'login', context: 'x' }, ['body.context']],
    [
      'a context above 4 KB',
      { action_type: 'login', context: { note: 'é'.repeat(2_048) } },
      ['body.context', '4096'],
    ],
    ['NUL in the context', { action_type: 'login', context: { a: ['\0'] } }, ['body.context']],
    ['half a surrogate pair', { action_type: 'login', context: { '\ud800': 1 } }, ['body.context']],
  ])('with %s is refused, naming the field, and records nothing', async (_, body, words) => {
    const { post, status } = await newUser();
    const answer = await post(body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    for (const word of words) expect(answer.body.detail).toContain(word);
    expect(await status()).toMatchObject({ points: 0, achievements_unlocked: [] });
  });

  it.each([
    ['login', 5, 1, 'first_points'],
    ['search', 10, 1, 'first_search'],
    ['message', 20, 1, 'first_message'],
    ['share', 25, 2, 'first_share'],
    ['scrape', 50, 3, 'first_scrape'],
    ['outreach', 75, 5, 'first_outreach'],
  ])(
    'of type %s is worth %i points and %i of streak',
    async (action_type, points, impact, unlocked) => {
      const { post } = await newUser();
      const { status, body } = await post({ action_type, context: { page: '\\u0000', n: [1] } });
      expect([status, body]).toEqual([
        200,
        {
          action_recorded: true,
          points_awarded: points,
          points_total: points,
          streak_count: impact,
          is_lucky_find: false,
          achievement_unlocked: unlocked,
        },
      ]);
    },
  );

  it('keeps a context as deep as a body may be', async () => {
    const { post } = await newUser();
    const nested = (depth: number) =>
      post(`{"action_type":"login","context":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`);
    const answer = await nested(190);
    expect([answer.status, answer.body.action_recorded]).toEqual([200, true]);
    expect((await nested(2_000)).body.error_code).toBe('BAD_REQUEST');
  });

  it('is open to keys of every role, and to nobody without a key', async () => {
    const { key } = await newUser();
    for (const role of ['member', 'ingest', 'read'] as const) {
      const made = await createKey(millrace, key, role);
      const answer = await millrace.call(
        'POST',
        '/gamification/action',
        { action_type: 'share' },
        { key: made.key },
      );
      expect(answer.status).toBe(200);
    }
    expect(
      (await millrace.call('GET', '/gamification/status', undefined, { key: null })).status,
    ).toBe(401);
  });
});

describe('an Idempotency-Key', () => {
  it('returns the first answer again, even after other actions and days', async () => {
    const { post, ledger, shiftIntoPast } = await newUser();
    const headers = { 'Idempotency-Key': '!key~' };
    const first = await post({ action_type: 'search' }, headers);
    await post({ action_type: 'outreach' });
    await shiftIntoPast(3);
    const again = await post({ action_type: 'search', context: { retry: true } }, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await ledger()).toHaveLength(2);
  });

  it('is refused for another action', async () => {
    const { post, status } = await newUser();
    const headers = { 'Idempotency-Key': 'k' };
    await post({ action_type: 'search' }, headers);
    const other = await post({ action_type: 'share' }, headers);
    expect([other.status, other.body.error_code]).toEqual([409, 'CONFLICT']);
    expect(other.body.detail).toContain('search');
    expect(await status()).toMatchObject({ points: 10 });
  });

  it('is separate for each user', async () => {
    const [one, other] = [await newUser(), await newUser()];
    const headers = { 'Idempotency-Key': 'shared' };
    await one.post({ action_type: 'search' }, headers);
    const answer = await other.post({ action_type: 'share' }, headers);
    expect([answer.status, answer.body.points_total]).toEqual([200, 25]);
  });

  it('awards nothing above the cap', async () => {
    const { post } = await newUser();
    for (let n = 0; n < 3; n += 1) await post({ action_type: 'login' });
    const refused = await post({ action_type: 'login' }, { 'Idempotency-Key': 'late' });
    expect(refused.body).toMatchObject({ action_recorded: false, points_awarded: 0 });
  });

  it.each(['', 'two words', 'é', 'x'.repeat(256)])('may not be %j', async (value) => {
    const { post, ledger } = await newUser();
    const answer = await post({ action_type: 'search' }, { 'Idempotency-Key': value });
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toContain('Idempotency-Key');
    expect(await ledger()).toEqual([]);
  });

  it('may be 255 characters long', async () => {
    const { post } = await newUser();
    const headers = { 'Idempotency-Key': 'x'.repeat(255) };
    expect((await post({ action_type: 'search' }, headers)).status).toBe(200);
  });
});

describe('the status', () => {
  it('is all zeros for a new user', async () => {
    const { userId, status } = await newUser();
    expect(await status()).toEqual({
      user_id: userId,
      points: 0,
      current_streak: 0,
      longest_streak: 0,
      achievements_unlocked: [],
      next_milestone: 'first_points',
      progress_to_next: 0,
    });
  });

  it('follows the streak over days, a missed day and a restart', async () => {
    const { post, status, shiftIntoPast } = await newUser();
    await post({ action_type: 'share' });
    await shiftIntoPast(1);
    expect(await status()).toMatchObject({ current_streak: 2, longest_streak: 2 });
    expect((await post({ action_type: 'login' })).body.streak_count).toBe(3);
    expect((await post({ action_type: 'outreach' })).body.streak_count).toBe(7);
    await shiftIntoPast(2);
    expect(await status()).toMatchObject({ current_streak: 0, longest_streak: 7, points: 105 });
    expect((await post({ action_type: 'login' })).body.streak_count).toBe(1);
    expect(await status()).toMatchObject({ current_streak: 1, longest_streak: 7 });
  });

  it('lists achievements as they are unlocked and names the nearest remaining one', async () => {
    const { post, status } = await newUser();
    await post({ action_type: 'outreach' });
    expect(await status()).toMatchObject({
      achievements_unlocked: ['first_outreach', 'first_points'],
      next_milestone: 'points_100',
      progress_to_next: 0.75,
    });
    const { body } = await post({ action_type: 'share' });
    expect(body.achievement_unlocked).toBe('points_100');
    expect((await status()).achievements_unlocked).toHaveLength(4);
    expect((await post({ action_type: 'share' })).body.achievement_unlocked).toBeNull();
  });

  it('is complete when every achievement is unlocked', async () => {
    const { workspaceId, userId, post, status } = await newUser();
    await post({ action_type: 'login' });
    const ids = ACHIEVEMENTS.map(({ id }) => id);
    await sql`insert into points_achievement (user_id, workspace_id, achievement, points_award_id)
      select user_id, workspace_id, each, id
      from points_award, unnest(${ids}::text[]) as each where user_id = ${userId}
        and workspace_id = ${workspaceId}
      on conflict do nothing`.execute(millrace.services.db);
    expect(await status()).toMatchObject({ next_milestone: 'all_unlocked', progress_to_next: 1 });
    expect((await post({ action_type: 'search' })).body.achievement_unlocked).toBeNull();
  });
});

describe('a lucky find', () => {
  it('is flagged, counted and leads to achievements, but earns no extra points', async () => {
    const { workspaceId, userId } = await newUser();
    const services = {
      ...millrace.services,
      config: { ...millrace.services.config, LUCKY_FIND_PROBABILITY: 0.5 },
    };
    const throws = [0.5, 0.4999, 0, 0];
    const outcomes = [];
    for (const thrown of throws) {
      const award = { workspaceId, userId, action: 'login', source: 'client' } as const;
      outcomes.push(await awardPoints(services, { ...award, sourceId: null }, () => thrown));
    }
    expect(outcomes.map(({ isLuckyFind }) => isLuckyFind)).toEqual([false, true, true, false]);
    expect(outcomes.map(({ pointsAwarded }) => pointsAwarded)).toEqual([5, 5, 5, 0]);
    expect(outcomes[1]?.achievement).toBe('lucky_find');
    const { rows } = await sql`select lucky_finds, (select count(*)::int from points_award w
        where w.user_id = a.user_id and is_lucky_find) as flagged
      from points_account a where user_id = ${userId}`.execute(services.db);
    expect(rows).toEqual([{ lucky_finds: 2, flagged: 2 }]);
  });
});

const ZONES = [
  'UTC',
  'America/Los_Angeles',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];

describe('the calendar of the database', () => {
  it('gives the right date in every time zone', async () => {
    const moments = ['2024-02-29T23:30:00Z', '2025-03-30T01:00:00Z', '2025-10-26T10:15:00Z'];
    for (const zone of ZONES) {
      const { rows } = await sql<{ days: string }>`
        select string_agg(to_char(at at time zone ${zone}, 'YYYY-MM-DD'), ' ' order by at) as days
        from unnest(${moments}::timestamptz[]) as at`.execute(millrace.services.db);
      const ours = moments.map((at) => localDateIn(zone, new Date(at))).join(' ');
      expect([zone, rows[0]?.days]).toEqual([zone, ours]);
    }
  });
});
