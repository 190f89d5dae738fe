import type { RecencyBias } from '#src/tables/documents.ts';
import { BOOST_SCALE, DECAY } from './weights.ts';

const MS_PER_DAY = 86_400_000;
const DAYS_PER_YEAR = 365.25;
/** Words of a question that asks for what is new. */
const ASKS_FOR_NEW =
  /(?<![\p{L}\p{N}])(?:latest|newest|recent|recently|today|yesterday|this (?:week|month|year)|neueste[nrs]?|aktuelle[nrs]?|heute|derni[eè]re?s?|r[ée]cente?s?|[uú]ltim[oa]s?|recientes?)(?![\p{L}\p{N}])/iu;

/** Resolves `auto` by the words of the query: a question about something new favours recent documents. */
export function resolveBias(bias: RecencyBias, query: string): Exclude<RecencyBias, 'auto'> {
  if (bias !== 'auto') return bias;
  return ASKS_FOR_NEW.test(query) ? 'favor_recent' : 'base_decay';
}

/** 1 for a new document and for one without a date; falls with age to the floor of the bias. */
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

/** 1 for a boost of 0, and between 0.5 and 2 otherwise: a boost counts less than how well a document fits. */
export function boostFactor(boost: number): number {
  const share = 1 / (1 + Math.exp(-boost / BOOST_SCALE));
  return boost < 0 ? 0.5 + share : 2 * share;
}
