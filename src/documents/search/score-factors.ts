import type { RecencyBias } from '#src/tables/documents.ts';

/** How fast a document loses by age, in shares a year, and what is left of the oldest. */
const DECAY = {
  no_decay: { perYear: 0, floor: 1 },
  // Mild: it decides between documents that fit about as well, and never hides a better one.
  base_decay: { perYear: 0.5, floor: 0.9 },
  favor_recent: { perYear: 2, floor: 0.5 },
};
const MS_PER_DAY = 86_400_000;
const DAYS_PER_YEAR = 365.25;
/** Boosts grow slowly: three times this one is nearly all. */
const BOOST_SCALE = 3;
/** Words of a question that asks for what is new. */
const ASKS_FOR_NEW =
  /(?<![\p{L}\p{N}])(?:latest|newest|recent|recently|today|yesterday|this (?:week|month|year)|neueste[nrs]?|aktuelle[nrs]?|heute|derni[eè]re?s?|r[ée]cente?s?|[uú]ltim[oa]s?|recientes?)(?![\p{L}\p{N}])/iu;

/** `auto` is decided by the words of the query: who asks for what is new gets that first. */
export function settledBias(bias: RecencyBias, query: string): Exclude<RecencyBias, 'auto'> {
  if (bias !== 'auto') return bias;
  return ASKS_FOR_NEW.test(query) ? 'favor_recent' : 'base_decay';
}

/** 1 for a document of now, and for one without a date; falls with age to the floor of the bias. */
export function recencyFactor(
  updatedAt: Date | null,
  now: Date,
  bias: Exclude<RecencyBias, 'auto'>,
): number {
  if (updatedAt === null) return 1;
  // In whole days, so that an order and its scores hold from one page to the next.
  const days = Math.floor(Math.max(0, now.getTime() - updatedAt.getTime()) / MS_PER_DAY);
  const years = days / DAYS_PER_YEAR;
  const { perYear, floor } = DECAY[bias];
  return floor + (1 - floor) / (1 + perYear * years);
}

/** 1 at 0, and between 0.5 and 2: what people think of a document counts, but less than whether it fits. */
export function boostFactor(boost: number): number {
  const share = 1 / (1 + Math.exp(-boost / BOOST_SCALE));
  return boost < 0 ? 0.5 + share : 2 * share;
}
