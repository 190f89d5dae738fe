import { countsAsked, holdsAmount, type Measure, namesMeasure } from './asked-value.ts';
import type { Candidate } from './read-candidates.ts';
import type { Question } from './read-question.ts';
import { ungroupNumbers } from './ungroup-numbers.ts';
import type { Evidence } from './weigh-candidates.ts';

/** A mere digit next to "telephone" is not a telephone number. */
const NEVER_BARE: ReadonlySet<Measure> = new Set(['phone', 'duration', 'frequency', 'date', 'key']);
/** A mere number beside these words is one in a table only: "retries cost 5" has no price. */
const BARE_IN_TABLES: ReadonlySet<Measure> = new Set(['money']);

/** Whether a unit contains the requested amount, or a number next to the word for it, as in a price table. */
export function holdsValue(question: Question, { candidate, own, heading }: Evidence): boolean {
  const { measure } = question.value;
  if (measure === null) return false;
  const { text } = candidate.unit;
  if (holdsAmount(text, measure)) return true;
  if (NEVER_BARE.has(measure) || !/\p{N}/u.test(text)) return false;
  if (BARE_IN_TABLES.has(measure) && candidate.unit.kind === 'sentence') return false;
  return question.terms.some(
    ({ word }, term) =>
      namesMeasure(word, measure) && Math.max(own[term] ?? 0, heading[term] ?? 0) > 0,
  );
}

/** Whether a unit states how many there are of what is counted. */
export function holdsCount(candidate: Candidate, counted: ReadonlySet<string>): boolean {
  const { terms, heading, title, unit } = candidate;
  const speaksOfIt = [terms, heading, title].some((stems) => !stems.isDisjointFrom(counted));
  return countsAsked(unit.text, counted, speaksOfIt);
}

/**
 * Whether one of these contains a number by itself: 20 is not part of 15.20, but 3.14 is a kind of 3.
 * @param number without commas between groups of digits
 */
export function holdsNumber(here: readonly Candidate[], number: string): boolean {
  const digits = number.replaceAll('.', String.raw`\.`);
  const alone = new RegExp(String.raw`(?<![\d.,:])${digits}(?![\d]|[,:]\d)`);
  return here.some(
    ({ unit, title }) =>
      title.has(number) ||
      [unit.heading, unit.text].some((text) => alone.test(ungroupNumbers(text))),
  );
}
