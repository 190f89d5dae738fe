interface ActionRule {
  readonly points: number;
  /** Added to the streak when this is the first action of the day. */
  readonly streakImpact: number;
  /** Maximum number of awards per user and local day, those reported by the client and by the service combined. */
  readonly dailyCap: number;
}

/**
 * Points and streak impact of each action: see docs/points.md. The caps allow for a busy day and make farming
 * pointless.
 */
export const ACTIONS = {
  login: { points: 5, streakImpact: 1, dailyCap: 3 },
  search: { points: 10, streakImpact: 1, dailyCap: 20 },
  message: { points: 20, streakImpact: 1, dailyCap: 50 },
  share: { points: 25, streakImpact: 2, dailyCap: 5 },
  scrape: { points: 50, streakImpact: 3, dailyCap: 10 },
  outreach: { points: 75, streakImpact: 5, dailyCap: 20 },
} as const satisfies Record<string, ActionRule>;

/** The values of `action_type` in the API. */
export type ActionType = keyof typeof ACTIONS;

export const ACTION_TYPES = [
  'login',
  'search',
  'message',
  'share',
  'scrape',
  'outreach',
] as const satisfies readonly ActionType[];
