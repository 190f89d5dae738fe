import { countsAsked, holdsAmount, type Measure, namesMeasure } from './asked-value.ts';
import type { Candidate } from './read-candidates.ts';
import type { Question } from './read-question.ts';
import type { Evidence } from './weigh-candidates.ts';

/** Any digit beside "telephone" is no telephone number. */
const NEVER_BARE: ReadonlySet<Measure> = new Set(['phone', 'duration']);

/** Whether a unit holds the amount that was asked for, or a number beside the word for it, as a table of prices does. */
export function holdsValue(question: Question, { candidate, own, heading }: Evidence): boolean {
  const { measure } = question.value;
  if (measure === null) return false;
  const { text } = candidate.unit;
  if (holdsAmount(text, measure)) return true;
  if (NEVER_BARE.has(measure) || !/\p{N}/u.test(text)) return false;
  return question.terms.some(
    ({ word }, term) =>
      namesMeasure(word, measure) && Math.max(own[term] ?? 0, heading[term] ?? 0) > 0,
  );
}

/** Whether a unit says how many there are of what was counted. */
export function holdsCount(candidate: Candidate, counted: ReadonlySet<string>): boolean {
  const { terms, heading, title, unit } = candidate;
  const speaksOfIt = [terms, heading, title].some((stems) => !stems.isDisjointFrom(counted));
  return countsAsked(unit.text, counted, speaksOfIt);
}

/** Whether a number stands in one of these by itself: 20 is no part of 15.20, 3.14 is a kind of 3. */
export function holdsNumber(here: readonly Candidate[], number: string): boolean {
  const digits = number.replaceAll('.', String.raw`\.`);
  const alone = new RegExp(String.raw`(?<![\d.,:])${digits}(?![\d]|[,:]\d)`);
  return here.some(
    ({ unit, title }) => title.has(number) || alone.test(unit.heading) || alone.test(unit.text),
  );
}
