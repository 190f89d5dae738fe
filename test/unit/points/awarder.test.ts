import pino from 'pino';
import { describe, expect, it } from 'vitest';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { parseConfig } from '#src/platform/config.ts';
import type { Database } from '#src/platform/database.ts';
import { createPointsAwarder } from '#src/points/award-in-background.ts';
import type { Award, AwardOutcome } from '#src/points/award-points.ts';
import { until } from '#test/support/until.ts';

const RECORDED: AwardOutcome = {
  isRecorded: true,
  pointsAwarded: 10,
  pointsTotal: 10,
  streakCount: 1,
  isLuckyFind: false,
  achievement: null,
};
const CAPPED: AwardOutcome = { ...RECORDED, isRecorded: false, pointsAwarded: 0 };

const award = (sourceId: string, userId = 'user') => ({
  workspaceId: 'workspace' as WorkspaceId,
  userId: userId as UserId,
  action: 'search' as const,
  sourceId,
});

/** An awarder whose awards are given by the test. */
function openAwarder(give: (award: Award) => Promise<AwardOutcome>, idleMs?: number) {
  const logged: Record<string, unknown>[] = [];
  const given: string[] = [];
  let nowMs = 0;
  const awarder = createPointsAwarder(
    {
      db: {} as Database, // unused: the test gives the awards
      clock: () => new Date(nowMs),
      config: parseConfig({}),
      log: pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) }),
    },
    (_, one) => {
      given.push(one.sourceId ?? '');
      return give(one);
    },
    idleMs,
  );
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { ...awarder, given, logged, advance };
}

describe('background awards', () => {
  it('start after the caller has continued, and are done when it is idle', async () => {
    const { submit, idle, given } = openAwarder(async () => RECORDED);
    submit(award('1'));
    submit(award('2'));
    expect(given).toEqual([]);
    await idle();
    expect(given).toEqual(['1', '2']);
    await idle();
  });

  it('that fail are logged on one line each, and the next ones are given', async () => {
    const { submit, idle, logged } = openAwarder(async ({ sourceId }) => {
      if (sourceId === '1') throw new Error('database away');
      return RECORDED;
    });
    submit(award('1'));
    submit(award('2'));
    await idle();
    expect(logged).toMatchObject([{ level: 40, error: 'Error: database away', userId: 'user' }]);
    submit(award('3'));
    await idle();
    expect(logged).toHaveLength(1);
  });

  it('run two at a time, however many there are', async () => {
    let running = 0;
    let most = 0;
    const { submit, idle, given } = openAwarder(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return RECORDED;
    });
    for (let n = 0; n < 100; n += 1) submit(award(`${n}`));
    await idle();
    expect([given.length, most]).toEqual([100, 2]);
  });

  it('are skipped for a minute once the cap is reached, for that user and action', async () => {
    const { submit, idle, given, advance } = openAwarder(async () => CAPPED);
    submit(award('1'));
    await idle();
    submit(award('2'));
    submit(award('3', 'another'));
    submit({ ...award('4'), action: 'message' });
    await idle();
    expect(given).toEqual(['1', '3', '4']);
    advance(60_001);
    submit(award('5'));
    await idle();
    expect(given).toEqual(['1', '3', '4', '5']);
  });

  it('are dropped when more than a thousand wait, with one log line', async () => {
    const gate = Promise.withResolvers<AwardOutcome>();
    const { submit, idle, given, logged } = openAwarder(() => gate.promise);
    submit(award('first'));
    submit(award('second'));
    await until(async () => given.length === 2);
    for (let n = 0; n < 1_100; n += 1) submit(award(`${n}`));
    expect(logged).toMatchObject([{ level: 40, waiting: 1_000 }]);
    gate.resolve(RECORDED);
    await idle();
    expect(given).toHaveLength(1_002);
  });

  it('are dropped when the database does not answer, so that a stop can continue', async () => {
    const { submit, idle, given, logged } = openAwarder(() => new Promise(() => undefined), 10);
    for (const id of ['1', '2', '3']) submit(award(id));
    await until(async () => given.length === 2);
    await idle();
    expect(given).toEqual(['1', '2']);
    expect(logged).toMatchObject([{ level: 40, lost: 1 }]);
  });
});
