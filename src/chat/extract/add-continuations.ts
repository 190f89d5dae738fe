import type { Candidate } from './read-candidates.ts';

/** Total characters of all quotes. */
export const MAX_ANSWER_LENGTH = 1_800;
const MAX_UNITS = 12;

/** A text with fewer words and no full stop is not a sentence. */
const MIN_TERMS = 3;

const MAX_LEAD_LENGTH = 300;
/** A sentence that begins so is about the one before it. */
const REFERS_BACK =
  /^(?:\*\*|[_"'(])*(?:this|these|that|those|such|it|they|he|she|its|their|both|either|neither|otherwise|instead|therefore|thus|however|but|also|then)\b/i;

interface Window {
  /** Limits on the units after the chosen one, and on their characters. */
  units: number;
  length: number;
}

const AFTER_BEST: Window = { units: 3, length: 600 };
const AFTER_OTHERS: Window = { units: 1, length: 300 };
/** After an announcement of a list or a block. */
const ANNOUNCED: Window = { units: 6, length: 900 };

/**
 * The chosen quotes (best first), each with its continuation in the section: the fact is often next to the words of the
 * question.
 * @param all every candidate, by position
 */
export function addContinuations(
  chosen: readonly Candidate[],
  all: readonly Candidate[],
): Candidate[] {
  const quoted = new Set(chosen);
  const texts = new Set(chosen.map(({ unit }) => unit.text));
  let left = MAX_ANSWER_LENGTH - chosen.reduce((sum, { unit }) => sum + unit.text.length, 0);
  for (const [index, start] of chosen.entries()) {
    const after: Candidate[] = [];
    for (const next of continuationOf(start, all, index === 0 ? AFTER_BEST : AFTER_OTHERS)) {
      const { text } = next.unit;
      if (texts.has(text)) continue;
      if (text.length > left || quoted.size + after.length === MAX_UNITS) break;
      after.push(next);
      texts.add(text);
      left -= text.length;
    }
    for (const next of withoutBareAnnouncement(after, all)) quoted.add(next);
    const lead = leadOf(start, all);
    if (lead === null || texts.has(lead.unit.text) || lead.unit.text.length > left) continue;
    quoted.add(lead);
    texts.add(lead.unit.text);
    left -= lead.unit.text.length;
  }
  return [...quoted];
}

/** What a quote refers to ("This is called …"), or the line that it explains (`timeout (default: 30s)`); null if none. */
function leadOf(start: Candidate, all: readonly Candidate[]): Candidate | null {
  const before = all[start.position - 1];
  if (before === undefined || !isContinuation(before, start)) return null;
  const { kind, text } = before.unit;
  if (text.length > MAX_LEAD_LENGTH || kind === 'block') return null;
  const isLabel = before.isFirst && kind !== 'item' && !/[.!?:]["')*_]*$/.test(text);
  return REFERS_BACK.test(start.unit.text) || isLabel ? before : null;
}

function continuationOf(start: Candidate, all: readonly Candidate[], plain: Window): Candidate[] {
  const after: Candidate[] = [];
  let room = isAnnouncement(start) ? ANNOUNCED : plain;
  let last = start;
  for (const next of all.slice(start.position + 1, start.position + 1 + MAX_UNITS)) {
    const length = room.length - next.unit.text.length;
    if (!isContinuation(last, next) || isScrap(next) || length < 0 || room.units === 0) break;
    after.push(next);
    last = next;
    // What a continuation announces belongs to it, even beyond its own window.
    room = isAnnouncement(next) ? ANNOUNCED : { units: room.units - 1, length };
  }
  return after;
}

function isAnnouncement({ unit }: Candidate): boolean {
  return unit.text.endsWith(':');
}

/** Without a last line that announces what there is no room for. */
function withoutBareAnnouncement(
  after: readonly Candidate[],
  all: readonly Candidate[],
): readonly Candidate[] {
  const last = after.at(-1);
  const next = last === undefined ? undefined : all[last.position + 1];
  if (last === undefined || next === undefined || !isAnnouncement(last)) return after;
  return isContinuation(last, next) ? after.slice(0, -1) : after;
}

/** Whether one directly follows the other in the same section. */
export function isContinuation(one: Candidate | undefined, other: Candidate): boolean {
  return (
    one?.passage === other.passage &&
    one.unit.section === other.unit.section &&
    one.position + 1 === other.position
  );
}

/** Words that do not form a sentence, such as the links around a page. */
function isScrap({ unit, terms }: Candidate): boolean {
  return unit.kind === 'sentence' && terms.size < MIN_TERMS && !/[.!?:]["')*_]*$/.test(unit.text);
}
