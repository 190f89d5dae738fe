import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  ACHIEVEMENTS,
  ALL_UNLOCKED,
  newlyUnlocked,
  nextMilestone,
  type Standing,
} from '#src/points/achievements.ts';
import { ACTION_TYPES, ACTIONS } from '#src/points/actions.ts';

const IDS = ACHIEVEMENTS.map(({ id }) => id);

describe('the table of actions', () => {
  it('has the points and impacts of the specification', () => {
    const rows = ACTION_TYPES.map((type) => [
      type,
      ACTIONS[type].points,
      ACTIONS[type].streakImpact,
    ]);
    expect(rows).toEqual([
      ['login', 5, 1],
      ['search', 10, 1],
      ['message', 20, 1],
      ['share', 25, 2],
      ['scrape', 50, 3],
      ['outreach', 75, 5],
    ]);
    expect(Object.keys(ACTIONS)).toEqual(ACTION_TYPES);
  });
});

describe('the table of achievements', () => {
  it('has at least 15 entries, each with its own id and a rule that can be met', () => {
    expect(ACHIEVEMENTS.length).toBeGreaterThanOrEqual(15);
    expect(new Set(IDS).size).toBe(IDS.length);
    expect(IDS).not.toContain(ALL_UNLOCKED);
    for (const { id, threshold } of ACHIEVEMENTS) {
      expect(id).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
      expect(threshold).toBeGreaterThan(0);
    }
  });

  it('orders achievements of a metric by threshold', () => {
    for (const group of Map.groupBy(ACHIEVEMENTS, ({ metric }) => metric).values()) {
      const thresholds = group.map(({ threshold }) => threshold);
      expect(thresholds).toEqual([...new Set(thresholds)].toSorted((a, b) => a - b));
    }
  });
});

describe('an award', () => {
  it.each<[string, Standing, string[], string[]]>([
    ['nothing just below a threshold', { points: 99 }, ['first_points'], []],
    ['it at the threshold', { points: 100 }, ['first_points'], ['points_100']],
    ['nothing twice', { points: 100 }, ['first_points', 'points_100'], []],
    [
      'several at once, the most significant last',
      { points: 1_000, outreach: 1, streak: 12, days_in_row: 3 },
      ['first_points'],
      ['first_outreach', 'points_100', 'three_days', 'streak_10', 'points_1000'],
    ],
  ])('unlocks %s', (_, standing, unlocked, expected) => {
    expect(newlyUnlocked(standing, new Set(unlocked))).toEqual(expected);
  });
});

describe('the next milestone', () => {
  it('is the first in the table for a new user', () => {
    expect(nextMilestone({}, new Set())).toEqual({ id: IDS[0], progress: 0 });
  });

  it('is the one closest to completion', () => {
    const unlocked = new Set(['first_points']);
    expect(nextMilestone({ points: 40, streak: 5, days_in_row: 1 }, unlocked)).toEqual({
      id: 'streak_10',
      progress: 0.5,
    });
  });

  it('is the least significant one of equals', () => {
    const unlocked = new Set(['first_points', 'first_search']);
    expect(nextMilestone({ points: 50, streak: 5 }, unlocked).id).toBe('points_100');
  });

  it('has a progress that is rounded down and never shown as complete', () => {
    const all = new Set(IDS);
    const only = (id: string) => new Set([...all].filter((one) => one !== id));
    expect(nextMilestone({ points: 99_999 }, only('points_100000')).progress).toBe(0.99);
    expect(nextMilestone({ points: 1_999 }, only('points_100000')).progress).toBe(0.01);
    expect(nextMilestone({ days_in_row: 29 }, only('month_in_row')).progress).toBe(0.96);
    // A rule added after the user had met it: the next award unlocks it.
    expect(nextMilestone({ points: 500 }, only('points_100')).progress).toBe(0.99);
  });

  it('has a special id when everything is unlocked', () => {
    expect(nextMilestone({ points: 1 }, new Set(IDS))).toEqual({ id: ALL_UNLOCKED, progress: 1 });
  });
});

describe('the manual', () => {
  const manual = readFileSync(`${import.meta.dirname}/../../../docs/points.md`, 'utf8');
  const rows = manual.split('\n').filter((line) => line.startsWith('| `'));

  it('shows the table of actions', () => {
    for (const type of ACTION_TYPES) {
      const { points, streakImpact, dailyCap } = ACTIONS[type];
      expect(rows).toContain(`| \`${type}\` | ${points} | +${streakImpact} | ${dailyCap} |`);
    }
  });

  it('shows the table of achievements in order', () => {
    const told = rows.flatMap(
      (line) => /^\| `(\w+)` \| (?:A streak of )?([\d,]+)[^|]*\|$/.exec(line)?.slice(1) ?? [],
    );
    expect(told).toEqual(
      ACHIEVEMENTS.flatMap(({ id, threshold }) => [id, threshold.toLocaleString('en-US')]),
    );
  });
});
