import { countText } from '#src/console/web/parts/number.ts';

/** The streak in words: what it is, and what keeps it. */
export function streakText({
  current_streak: current,
  longest_streak: longest,
}: {
  current_streak: number;
  longest_streak: number;
}): string {
  const most = longest > current ? ` The longest was ${countText(longest)}.` : '';
  if (current === 0) {
    return longest === 0
      ? 'You have no streak yet: the first thing you do begins one, and it grows every day on which you do something.'
      : `You have no streak now: a day passed without anything.${most} What you do next begins a new one.`;
  }
  const best = longest === current && current > 1 ? ' It has never been longer.' : most;
  return `Your streak is ${countText(current)}.${best} It grows by what you do each day; a day on which you do nothing ends it.`;
}
