interface ActionRule {
  readonly points: number;
  /** What the action adds to the streak, when it is the day's first. */
  readonly streakImpact: number;
  /** Awards a user gets for it in one local day, asked for and given by the service together. */
  readonly dailyCap: number;
}

/** The points and impact of each action: docs/points.md. The caps let a busy day count and make a farmed one pointless. */
export const ACTIONS = {
  login: { points: 5, streakImpact: 1, dailyCap: 3 },
  search: { points: 10, streakImpact: 1, dailyCap: 20 },
  message: { points: 20, streakImpact: 1, dailyCap: 50 },
  share: { points: 25, streakImpact: 2, dailyCap: 5 },
  scrape: { points: 50, streakImpact: 3, dailyCap: 10 },
  outreach: { points: 75, streakImpact: 5, dailyCap: 20 },
} as const satisfies Record<string, ActionRule>;

/** `action_type` on the wire. */
export type ActionType = keyof typeof ACTIONS;

export const ACTION_TYPES = [
  'login',
  'search',
  'message',
  'share',
  'scrape',
  'outreach',
] as const satisfies readonly ActionType[];
