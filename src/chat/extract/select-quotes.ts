import { addContinuations, isContinuation, MAX_ANSWER_LENGTH } from './add-continuations.ts';
import type { Quote } from './extract-answer.ts';
import { nameOfQuote } from './name-quote.ts';
import type { Candidate } from './read-candidates.ts';
import type { Evidence } from './weigh-candidates.ts';
import { weightOf } from './weigh-terms.ts';

/** Maximum number of places to quote from. */
const MAX_PLACES = 6;
/** A quote must gain at least this share of what the best one gains. */
const MIN_SHARE_OF_BEST = 0.2;
/** Weight factor of a term that an earlier quote contains: the next quote should add something new. */
const REPEATED_TERM_SHARE = 0.6;
const DUPLICATE_SIMILARITY = 0.7;

interface Choice {
  weights: readonly number[];
  /** All candidates, including those that answer nothing by themselves. */
  all: readonly Candidate[];
  /** Factor for a candidate's gain. */
  factor: (evidence: Evidence) => number;
}

/** The quotes that together cover most of the question, each with its continuation. */
export function selectQuotes(evidence: readonly Evidence[], choice: Choice): Quote[] {
  const chosen = select(evidence, choice);
  const order = [...new Set(chosen.map(({ hit }) => hit))];
  const quoted = addContinuations(chosen, choice.all).toSorted(
    (one, other) =>
      order.indexOf(one.hit) - order.indexOf(other.hit) || one.position - other.position,
  );
  return quoted.map((candidate, index) => {
    const { kind, text } = candidate.unit;
    const before = quoted[index - 1];
    const continues = isContinuation(before, candidate);
    // Said once for all quotes of one place.
    const name = continues ? null : nameOfQuote(candidate);
    const isSaid = name === null || (before?.hit === candidate.hit && nameOfQuote(before) === name);
    return { kind, text, name: isSaid ? null : name, hit: candidate.hit, continues };
  });
}

/** The one that is quoted first; null when none gains anything. */
export function bestOf(
  evidence: readonly Evidence[],
  { weights, factor }: Choice,
): Evidence | null {
  let best: Evidence | null = null;
  let most = 0;
  for (const item of evidence) {
    const value = factor(item) * weightOf(weights, (term) => item.gain[term]);
    if (value > most) {
      most = value;
      best = item;
    }
  }
  return best;
}

function select(evidence: readonly Evidence[], { weights, factor }: Choice): Candidate[] {
  const chosen: Candidate[] = [];
  const fresh = weights.map(() => 1);
  let left = evidence.map((item) => ({ item, factor: factor(item) }));
  let best = 0;
  let length = 0;
  while (chosen.length < MAX_PLACES && left.length > 0) {
    const scored = left.map((entry) => ({
      entry,
      value:
        entry.factor *
        weightOf(weights, (term) => (entry.item.gain[term] ?? 0) * (fresh[term] ?? 1)),
    }));
    const top = scored.reduce((one, other) => (other.value > one.value ? other : one));
    if (top.value <= 0 || top.value < best * MIN_SHARE_OF_BEST) break;
    best = Math.max(best, top.value);
    const { candidate, own } = top.entry.item;
    left = left.filter(({ item }) => !isRepetition(item.candidate, candidate));
    if (chosen.length > 0 && length + candidate.unit.text.length > MAX_ANSWER_LENGTH) continue;
    chosen.push(candidate);
    length += candidate.unit.text.length;
    for (const [term, strength] of own.entries()) {
      if (strength > 0) fresh[term] = REPEATED_TERM_SHARE;
    }
  }
  return chosen;
}

/** Also true for the candidate itself. */
function isRepetition(candidate: Candidate, chosen: Candidate): boolean {
  if (candidate === chosen || chosen.unit.text.includes(candidate.unit.text)) return true;
  const shared = candidate.terms.intersection(chosen.terms).size;
  return shared / candidate.terms.union(chosen.terms).size >= DUPLICATE_SIMILARITY;
}
