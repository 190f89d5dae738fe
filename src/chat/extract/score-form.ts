import { holdsCount, holdsValue } from './holds-value.ts';
import { NUMBER } from './number-words.ts';
import { type Candidate, isBareCode, isCode } from './read-candidates.ts';
import type { Question } from './read-question.ts';
import { spellsOut } from './spells-out.ts';
import { subjectOf } from './subject-of.ts';
import type { Evidence } from './weigh-candidates.ts';
import { weightOf } from './weigh-terms.ts';

const IMPERATIVE =
  /^(?:to .{3,80}, )?(?:then |first |next |now |please |simply |just )?(?:run|set|open|choose|click|press|type|use|add|create|send|call|write|enter|select|start|stop|install|edit|put|make|go|sign|export|copy|register|upload|post|ask|tell|configure|enable|disable|remove|delete|download|check|change|follow|pass|give|define|declare|save|restart|log|read|mark|switch|turn|connect|book|name|insert|load|specify|replace|push|fill|pick|move|bring|take|leave|let|wait|try|apply|see|do|reset)\b/i;
/** "See … for details": the answer is elsewhere. */
const POINTS_ELSEWHERE =
  /^(?:\W{0,4})(?:(?:please )?(?:see|refer to|consult|have a look at)\b|for (?:more |further )?(?:details|information)\b|(?:more|further) (?:details|information)\b)/i;
const PERSON_NAME = /\p{Lu}\p{Ll}+\s+\p{Lu}\p{Ll}+|@/u;
/** With more words before the verb, `x is a…` is about something else. */
const MAX_WORDS_BEFORE_VERB = 7;
const MIN_SHARE_OF_SUBJECT = 0.5;
/** In the subject of a definition, beside what was asked for. */
const MAX_OTHER_WORDS = 1;
const DEFINES = 2;
const DEFINES_ALONE = 4;
const SPELLS_OUT = 4;
const SPELLS = /\b(?:stands? for|short for|abbreviat\w+|acronyms?|initials|means)\b/i;
const COUNTS = 1.4;
const COUNTS_NOT = 0.7;
const HOLDS_AMOUNT = 1.5;
const HOLDS_NUMBER = 1.25;
const HOLDS_NO_NUMBER = 0.85;
const HEADING_SAYS_ALL = 0.75;

/** A factor around 1: how well the form of a unit suits an answer to this kind of question. */
export function formFactor(question: Question, item: Evidence, weights: readonly number[]): number {
  const { candidate } = item;
  const length = Math.min(1.25, 0.8 + (0.2 * candidate.terms.size) / 15);
  const opening = candidate.isFirst ? 1.1 : 1;
  return (
    (opening * plainFormFactor(question, candidate) * kindFactor(question, item, weights)) / length
  );
}

function plainFormFactor({ kind }: Question, { unit, terms }: Candidate): number {
  if (isBareCode(unit)) return 0.4;
  if (POINTS_ELSEWHERE.test(unit.text)) return 0.5;
  // The announcement of a list says nothing without the list.
  if (terms.size < 3 || unit.text.endsWith(':')) return 0.6;
  return isCode(unit) && kind !== 'instruction' ? 0.7 : 1;
}

function kindFactor(question: Question, evidence: Evidence, weights: readonly number[]): number {
  const isNamed = evidence.isHeadingAsked && isUnderHeading(evidence, weights);
  const place = (isNamed ? 1.5 : 1) * (evidence.isTitleAsked ? 1.2 : 1);
  return place * valueFactor(question, evidence) * shapeFactor(question, evidence, weights);
}

function shapeFactor(question: Question, evidence: Evidence, weights: readonly number[]): number {
  const { kind } = question;
  const { candidate } = evidence;
  const { unit } = candidate;
  switch (kind) {
    case 'definition':
      if (definesAsked(question, evidence)) {
        return definesAlone(evidence) ? DEFINES_ALONE : DEFINES;
      }
      return candidate.isFirst ? 1.15 : 1;
    case 'abbreviation':
      return spellsAsked(question, candidate) ? SPELLS_OUT : 1;
    case 'instruction':
      if (isUnderHeading(evidence, weights)) return isCode(unit) ? 1.6 : 1.4;
      if (isCode(unit) || IMPERATIVE.test(unit.text)) return 1.25;
      return unit.kind === 'item' ? 1.1 : 1;
    case 'quantity':
      return NUMBER.test(unit.text) ? HOLDS_NUMBER : HOLDS_NO_NUMBER;
    case 'person':
      return PERSON_NAME.test(unit.text) ? 1.2 : 1;
    case 'other':
      return 1;
  }
}

/** Units with the requested kind of value come first. */
function valueFactor(question: Question, evidence: Evidence): number {
  const { counted, measure } = question.value;
  if (counted.size > 0) return holdsCount(evidence.candidate, counted) ? COUNTS : COUNTS_NOT;
  if (measure === null) return 1;
  return holdsValue(question, evidence) ? HOLDS_AMOUNT : 1;
}

/** Whether a unit says what an abbreviation stands for, in whatever words. */
export function explainsLetters(question: Question, candidate: Candidate): boolean {
  return spellsAsked(question, candidate) || SPELLS.test(candidate.unit.text);
}

/** Whether a unit has the words that the asked abbreviation is made of. */
function spellsAsked({ terms }: Question, { unit }: Candidate): boolean {
  return terms.some(({ isAsking, word }) => !isAsking && spellsOut(unit.text, word));
}

/** Whether the heading covers the whole question. */
function isUnderHeading({ heading }: Evidence, weights: readonly number[]): boolean {
  const asked = weightOf(weights, () => 1);
  return weightOf(weights, (term) => heading[term]) >= asked * HEADING_SAYS_ALL;
}

/** `X is …` where X is exactly what was asked for. */
function definesAlone({ candidate, subject }: Evidence): boolean {
  return (
    candidate.subject.size <= subject.filter((strength) => strength > 0).length &&
    subject.every((strength) => strength > 0)
  );
}

/** `X is …` where X is all that was asked for, but for words of the heading, and at most one word more. */
export function definesAsked({ terms }: Question, evidence: Evidence): boolean {
  const { candidate, subject, heading } = evidence;
  const isHeld = (term: number): boolean => Math.max(subject[term] ?? 0, heading[term] ?? 0) > 0;
  const asked = terms.flatMap(({ isAsking, isInherited }, term) =>
    isAsking || isInherited ? [] : [term],
  );
  const held = subject.filter((strength) => strength > 0).length;
  if (
    candidate.unit.isPointer ||
    !asked.every(isHeld) ||
    candidate.subject.size > held + MAX_OTHER_WORDS
  )
    return false;
  const words = subjectOf(candidate.unit.text).split(/\s+/).length;
  if (held === 0 || words > MAX_WORDS_BEFORE_VERB) return false;
  return held / Math.max(1, words - 1) >= MIN_SHARE_OF_SUBJECT;
}
