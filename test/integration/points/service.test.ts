// @module-tag database
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awardPoints } from '#src/points/award-points.ts';
import { createPointsUser, type PointsUser } from '#test/support/points-user.ts';
import {
  answerError,
  chunkEvent,
  END_EVENTS,
  type ScriptedLlm,
  startEvents,
  startScriptedLlm,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let llm: ScriptedLlm;
let millrace: TestMillrace;
/** How the model answers the next questions. */
let model: Parameters<typeof startScriptedLlm>[0];
beforeAll(async () => {
  llm = await startScriptedLlm((response) => model(response));
  millrace = await startTestMillrace({
    RATE_LIMIT_PER_MINUTE: '100000',
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
  });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

const search = ({ key }: PointsUser, requestId: string, query: unknown = 'harbour') =>
  millrace.call('POST', '/search', { query }, { key, headers: { 'X-Request-Id': requestId } });
const ask = ({ key }: PointsUser, requestId: string, stream: boolean) =>
  millrace.call(
    'POST',
    '/chat/send-chat-message',
    { message: 'How deep?', stream },
    { key, headers: { 'X-Request-Id': requestId } },
  );

/** Waits for exactly that many awards. A final search comes after them, so an extra award would show up before it. */
async function awarded(user: PointsUser, count: number): Promise<string[]> {
  await search(user, 'last-one');
  const sources = async () => (await user.ledger()).map(({ source_id }) => source_id ?? '');
  await until(async () => (await sources()).includes('search last-one'));
  const others = (await sources()).filter((id) => id !== 'search last-one');
  expect(others).toHaveLength(count);
  return others;
}

describe('an action that the client reports too', () => {
  const message = { action_type: 'message' };
  beforeAll(() => {
    model = (response) => {
      startEvents(response);
      response.end(chunkEvent({ content: 'Ten metres.' }) + END_EVENTS);
    };
  });
  const chatted = async (user: PointsUser, requestId: string): Promise<void> => {
    const before = (await user.ledger()).length;
    expect((await ask(user, requestId, false)).status).toBe(200);
    await until(async () => (await user.ledger()).length === before + 1);
  };

  it('counts once: the report claims the award', async () => {
    const user = await createPointsUser(millrace);
    await chatted(user, 'chat-1');
    const claimed = await user.post(message);
    expect(claimed.body).toMatchObject({
      action_recorded: true,
      points_awarded: 20,
      points_total: 20,
      streak_count: 1,
      achievement_unlocked: expect.stringMatching(/^(first_message|lucky_find)$/),
    });
    expect(await user.status()).toMatchObject({ points: 20 });
    // A second report is another action.
    expect((await user.post(message)).body).toMatchObject({ points_awarded: 20, points_total: 40 });
  });

  it('is claimed once per Idempotency-Key, and each award by one report', async () => {
    const user = await createPointsUser(millrace);
    await chatted(user, 'chat-1');
    await chatted(user, 'chat-2');
    const key = { 'Idempotency-Key': 'first-report' };
    const answers = await Promise.all([user.post(message, key), user.post(message, key)]);
    answers.push(await user.post(message, { 'Idempotency-Key': 'second-report' }));
    answers.push(await user.post(message, key));
    for (const { body } of answers) {
      expect(body).toMatchObject({ points_awarded: 20, points_total: 40 });
    }
    const refused = await user.post({ action_type: 'search' }, key);
    expect(refused.body.error_code).toBe('CONFLICT');
    expect(await user.ledger()).toHaveLength(2);
  });

  it('counts separately after ten minutes or with another type', async () => {
    const user = await createPointsUser(millrace);
    await chatted(user, 'chat-1');
    await user.post({ action_type: 'share' });
    expect(await user.status()).toMatchObject({ points: 45 });
    await sql`update points_award set created_at = created_at - interval '601 seconds'
      where user_id = ${user.userId}`.execute(millrace.services.db);
    expect((await user.post(message)).body).toMatchObject({ points_awarded: 20, points_total: 65 });
  });

  it('counts once even when the report arrives before the award', async () => {
    const user = await createPointsUser(millrace);
    const { workspaceId, userId } = user;
    const doneAt = new Date();
    const award = { workspaceId, userId, action: 'message', source: 'service', doneAt } as const;
    await user.post(message);
    const first = await awardPoints(millrace.services, { ...award, sourceId: 'chat-1' });
    expect(first).toMatchObject({ isRecorded: true, pointsTotal: 20 });
    const again = await awardPoints(millrace.services, { ...award, sourceId: 'chat-1' });
    expect(again).toEqual(first);
    const second = await awardPoints(millrace.services, { ...award, sourceId: 'chat-2' });
    expect(second).toMatchObject({ pointsTotal: 40 });
    expect(await user.ledger()).toHaveLength(2);
  });

  it('can be claimed above the daily cap, and does not count toward it again', async () => {
    const user = await createPointsUser(millrace);
    await sql`insert into points_award (user_id, workspace_id, action_type, points, streak_impact, day,
        source, points_total, streak_count, claimed_at)
      select ${user.userId}, ${user.workspaceId}, 'message', 20, 1,
        (now() at time zone time_zone)::date, 'client', 20, 1, now()
      from user_account, generate_series(1, 49) where id = ${user.userId}`.execute(
      millrace.services.db,
    );
    await chatted(user, 'chat-1');
    expect((await user.post(message)).body).toMatchObject({ action_recorded: true });
    expect((await user.post(message)).body).toMatchObject({ action_recorded: false });
    const { body } = await millrace.call('GET', '/gamification/actions', undefined, user);
    expect(body.actions[2]).toEqual({
      action_type: 'message',
      points: 20,
      streak_impact: 1,
      daily_cap: 50,
      awarded_today: 50,
      remaining_today: 0,
    });
    expect(body.lucky_find.probability).toBeGreaterThan(0);
  });
});

describe('the service awards', () => {
  it('a search once, however often its request is repeated', async () => {
    const user = await createPointsUser(millrace);
    expect((await search(user, 'first')).status).toBe(200);
    await search(user, 'first');
    await search(user, 'second');
    expect(await awarded(user, 2)).toEqual(['search first', 'search second']);
    expect(await user.status()).toMatchObject({ points: 30, current_streak: 1 });
  });

  it('nothing for a refused search', async () => {
    const user = await createPointsUser(millrace);
    expect((await search(user, 'wrong', 7)).status).toBe(400);
    await awarded(user, 0);
  });

  it('searches up to the daily cap, which includes those of the client', async () => {
    const user = await createPointsUser(millrace);
    for (let n = 0; n < 15; n += 1) await user.post({ action_type: 'search' });
    for (let n = 0; n < 10; n += 1) await search(user, `search-${n}`);
    await until(async () => (await user.ledger()).length === 20);
    // Five searches of the service are awarded and can be claimed first.
    for (let n = 0; n < 5; n += 1) {
      const { body } = await user.post({ action_type: 'search' });
      expect(body).toMatchObject({ action_recorded: true, points_total: 200 });
    }
    expect((await user.post({ action_type: 'search' })).body).toMatchObject({
      action_recorded: false,
      points_total: 200,
    });
  });

  it('an answered message, whole or streamed', async () => {
    model = (response) => {
      startEvents(response);
      response.end(chunkEvent({ content: 'Ten metres.' }) + END_EVENTS);
    };
    const user = await createPointsUser(millrace);
    expect((await ask(user, 'whole', false)).body).toMatchObject({ answer: 'Ten metres.' });
    await until(async () => (await user.ledger()).length === 1);
    expect((await ask(user, 'streamed', true)).text).toContain('"stop"');
    expect(await awarded(user, 2)).toEqual(['message whole', 'message streamed']);
    expect(await user.status()).toMatchObject({ points: 50 });
  });

  it('nothing for a message whose answer failed', async () => {
    model = answerError(400, 'broken');
    const user = await createPointsUser(millrace);
    expect((await ask(user, 'whole', false)).body.error_msg).toEqual(expect.any(String));
    expect((await ask(user, 'streamed', true)).text).toContain('"error"');
    await awarded(user, 0);
  });

  it('signing in to the queue dashboard once a day', async () => {
    const { db } = millrace.services;
    const open = (path: string) =>
      fetch(`${millrace.url}/admin/queues${path}`, {
        headers: { Authorization: `Basic ${btoa(`me:${millrace.adminKey}`)}` },
      });
    const logins = async () => {
      const { rows } = await sql<{ source_id: string }>`
        select source_id from points_award where action_type = 'login' and source = 'service'`.execute(
        db,
      );
      return rows.map(({ source_id }) => source_id);
    };
    expect((await open('/api/queues')).status).toBe(200);
    for (let n = 0; n < 3; n += 1) expect((await open('')).status).toBe(200);
    // A later search of the same user comes after them.
    await millrace.call('POST', '/search', { query: 'x' });
    await until(async () => {
      const { rows } =
        await sql`select 1 from points_award w join workspace s on s.id = w.workspace_id
        where s.is_bootstrap and w.action_type = 'search'`.execute(db);
      return rows.length === 1;
    });
    expect(await logins()).toEqual([expect.stringMatching(/^login \d{4}-\d\d-\d\d$/)]);
  });

  it('nothing when the ledger is unavailable, and still answers the search', async () => {
    const { db } = millrace.services;
    const user = await createPointsUser(millrace);
    await sql`alter table points_award rename to points_award_away`.execute(db);
    const answer = await search(user, 'lost');
    await sql`alter table points_award_away rename to points_award`.execute(db);
    expect([answer.status, answer.body.results]).toEqual([200, []]);
    await search(user, 'kept');
    await until(async () =>
      (await user.ledger()).some(({ source_id }) => source_id === 'search kept'),
    );
  });
});
