import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
/** What the model does with the next questions. */
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

/** Waits for that many awards; a search comes behind them, so that one too many would be there before it. */
async function awarded(user: PointsUser, count: number): Promise<string[]> {
  await search(user, 'last-one');
  const sources = async () => (await user.ledger()).map(({ source_id }) => source_id ?? '');
  await until(async () => (await sources()).includes('search last-one'));
  const others = (await sources()).filter((id) => id !== 'search last-one');
  expect(others).toHaveLength(count);
  return others;
}

describe('the service awards', () => {
  it('a search once, however often its request is repeated', async () => {
    const user = await createPointsUser(millrace);
    expect((await search(user, 'first')).status).toBe(200);
    await search(user, 'first');
    await search(user, 'second');
    expect(await awarded(user, 2)).toEqual(['search first', 'search second']);
    expect(await user.status()).toMatchObject({ points: 30, current_streak: 1 });
  });

  it('nothing for a search that was refused', async () => {
    const user = await createPointsUser(millrace);
    expect((await search(user, 'wrong', 7)).status).toBe(400);
    await awarded(user, 0);
  });

  it('searches up to the day’s cap, which those of the client count towards', async () => {
    const user = await createPointsUser(millrace);
    for (let n = 0; n < 15; n += 1) await user.post({ action_type: 'search' });
    for (let n = 0; n < 10; n += 1) await search(user, `search-${n}`);
    await until(async () => (await user.ledger()).length === 20);
    expect((await user.post({ action_type: 'search' })).body).toMatchObject({
      action_recorded: false,
      points_total: 200,
    });
  });

  it('a message that was answered, in one piece or streamed', async () => {
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
    // A search of the same user comes behind them.
    await millrace.call('POST', '/search', { query: 'x' });
    await until(async () => {
      const { rows } =
        await sql`select 1 from points_award w join workspace s on s.id = w.workspace_id
        where s.is_bootstrap and w.action_type = 'search'`.execute(db);
      return rows.length === 1;
    });
    expect(await logins()).toEqual([expect.stringMatching(/^login \d{4}-\d\d-\d\d$/)]);
  });

  it('what it can: a search is answered though the ledger is out of reach', async () => {
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
