/** How the model of each name answers: the first token at once, then one after each pause. */
export const PACES = {
  held: { tokens: 56, pauseMs: 250 },
  brief: { tokens: 16, pauseMs: 250 },
  flat: { tokens: 200, pauseMs: 0 },
  single: { tokens: 1, pauseMs: 0 },
} as const;

export type Pace = keyof typeof PACES;
