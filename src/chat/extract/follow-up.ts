import { readQuestion } from './read-question.ts';

/** Begins as a continuation. */
const CONTINUATION =
  /^\W*(?:and\b|or\b|but\b|also\b|what about|how about|same for|what if|why not|why\?*$|und\b|auch\b|et\b|y\b)/i;
/** Refers to something named before. */
const POINTS_BACK =
  /\b(?:it|its|they|them|their|this|that|these|those|there|then|he|she|him|her|one|ones|former|latter|instead|else|es|ihn|davon|dazu|damit)\b(?!\s+(?:is|are)\s+(?:possible|there))/i;
/** An `it` that refers to nothing before: "is it possible to", "does it support". It means the product itself. */
const POINTS_NOWHERE =
  /\b(?:is it (?:possible|ok|okay|allowed|true|safe|necessary)|is there|are there|how long does it take)\b/gi;
/** Of its own; a question with more is self-contained, unless it begins as a continuation. */
const FEW_TERMS = 3;
const FULL_PRIOR = 0.5;

/** Whether a question cannot be understood without the one before: "And on Windows?", "How do I turn it off?". */
export function isFollowUp(question: string): boolean {
  const own = readQuestion(question, null).terms.filter(({ prior }) => prior > FULL_PRIOR);
  if (own.length === 0) return true;
  if (CONTINUATION.test(question)) return own.length < FEW_TERMS;
  if (own.length > FEW_TERMS) return false;
  return POINTS_BACK.test(question.replaceAll(POINTS_NOWHERE, ''));
}

/** The latest self-contained question among those before (oldest first), looking back at most four. */
export function antecedentQuestion(before: readonly string[]): string | null {
  const latest = before.slice(-4);
  return latest.findLast((question) => !isFollowUp(question)) ?? latest.at(-1) ?? null;
}
