import type { ActionType } from './actions.ts';

/** The number that an achievement depends on. */
type Metric = 'points' | 'streak' | 'days_in_row' | 'lucky_finds' | ActionType;

interface Achievement {
  /** Stored and sent to clients: never change one. */
  readonly id: string;
  readonly title: string;
  readonly metric: Metric;
  /** Unlocked when the metric reaches it. */
  readonly threshold: number;
}

/** In order of significance, least first: if one award unlocks several, the last is announced. */
export const ACHIEVEMENTS: readonly Achievement[] = [
  { id: 'first_points', title: 'First points', metric: 'points', threshold: 1 },
  { id: 'first_search', title: 'First search', metric: 'search', threshold: 1 },
  { id: 'first_message', title: 'First message', metric: 'message', threshold: 1 },
  { id: 'first_share', title: 'First share', metric: 'share', threshold: 1 },
  { id: 'first_scrape', title: 'First lead scrape', metric: 'scrape', threshold: 1 },
  { id: 'first_outreach', title: 'First outreach', metric: 'outreach', threshold: 1 },
  { id: 'lucky_find', title: 'Lucky find', metric: 'lucky_finds', threshold: 1 },
  { id: 'points_100', title: '100 points', metric: 'points', threshold: 100 },
  { id: 'three_days', title: 'Three days in a row', metric: 'days_in_row', threshold: 3 },
  { id: 'streak_10', title: 'Streak of 10', metric: 'streak', threshold: 10 },
  { id: 'logins_30', title: '30 sign-ins', metric: 'login', threshold: 30 },
  { id: 'searches_100', title: '100 searches', metric: 'search', threshold: 100 },
  { id: 'messages_100', title: '100 messages', metric: 'message', threshold: 100 },
  { id: 'shares_25', title: '25 shares', metric: 'share', threshold: 25 },
  { id: 'scrapes_25', title: '25 lead scrapes', metric: 'scrape', threshold: 25 },
  { id: 'outreach_50', title: '50 outreach messages', metric: 'outreach', threshold: 50 },
  { id: 'points_1000', title: '1,000 points', metric: 'points', threshold: 1_000 },
  { id: 'week_in_row', title: 'A week in a row', metric: 'days_in_row', threshold: 7 },
  { id: 'streak_50', title: 'Streak of 50', metric: 'streak', threshold: 50 },
  { id: 'lucky_finds_10', title: '10 lucky finds', metric: 'lucky_finds', threshold: 10 },
  { id: 'searches_1000', title: '1,000 searches', metric: 'search', threshold: 1_000 },
  { id: 'messages_1000', title: '1,000 messages', metric: 'message', threshold: 1_000 },
  { id: 'points_10000', title: '10,000 points', metric: 'points', threshold: 10_000 },
  { id: 'month_in_row', title: '30 days in a row', metric: 'days_in_row', threshold: 30 },
  { id: 'outreach_500', title: '500 outreach messages', metric: 'outreach', threshold: 500 },
  { id: 'streak_250', title: 'Streak of 250', metric: 'streak', threshold: 250 },
  { id: 'lucky_finds_100', title: '100 lucky finds', metric: 'lucky_finds', threshold: 100 },
  { id: 'points_100000', title: '100,000 points', metric: 'points', threshold: 100_000 },
  { id: 'year_in_row', title: '365 days in a row', metric: 'days_in_row', threshold: 365 },
];

/** The `next_milestone` when every achievement is unlocked. */
export const ALL_UNLOCKED = 'all_unlocked';

/** A user's current metrics; an absent metric counts as 0. */
export type Standing = Readonly<Partial<Record<Metric, number>>>;

/** The achievements that this standing newly unlocks, the most significant last. */
export function newlyUnlocked(standing: Standing, unlocked: ReadonlySet<string>): string[] {
  return ACHIEVEMENTS.filter(({ id }) => !unlocked.has(id))
    .filter(({ metric, threshold }) => (standing[metric] ?? 0) >= threshold)
    .map(({ id }) => id);
}

/**
 * The locked achievement nearest to completion (the least significant on a tie) and its progress: in hundredths,
 * rounded down, below 1.
 */
export function nextMilestone(
  standing: Standing,
  unlocked: ReadonlySet<string>,
): { id: string; progress: number } {
  let next: { id: string; ratio: number } | null = null;
  for (const { id, metric, threshold } of ACHIEVEMENTS) {
    if (unlocked.has(id)) continue;
    const ratio = (standing[metric] ?? 0) / threshold;
    if (next === null || ratio > next.ratio) next = { id, ratio };
  }
  if (next === null) return { id: ALL_UNLOCKED, progress: 1 };
  return { id: next.id, progress: Math.min(Math.floor(next.ratio * 100) / 100, 0.99) };
}
