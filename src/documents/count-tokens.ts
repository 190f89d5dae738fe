/*
 * A model-independent token estimate from one scan over UTF-16 units. A run of characters of one class costs one token
 * for its first character and one for every further `RUN_LENGTH[class]` characters; white space is free.
 * Calibrated on English prose, where byte-pair vocabularies contain most seven-letter words whole.
 */
const SPACE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const PUNCTUATION = 4;
const LETTER = 5;
const IDEOGRAPH = 6;
const RUN_LENGTH = [0, 6, 6, 3, 2, 2, 1];

/** A state is the class of the last character, and how far its run is from the next token: one of `RUN_LENGTH`. */
const CLASS_BITS = 3;
const RUN_BITS = 3;
const STATE_BITS = CLASS_BITS + RUN_BITS;
const STATE_MASK = 2 ** STATE_BITS - 1;
const START = 0;
/** Of a state and the class of the next character: the next state, and above it 1 where a token starts. */
const STEPS = makeSteps();
const CLASSES = makeClasses();

/** Estimated tokens of `text` from `start` to `end`. Splitting a text never lowers the sum. */
export function countTokens(text: string, start: number = 0, end: number = text.length): number {
  let tokens = 0;
  let step = START;
  for (let index = start; index < end; index += 1) {
    step = nextStep(step, text.charCodeAt(index));
    tokens += step >> STATE_BITS;
  }
  return tokens;
}

/** The offset in `start…end` up to which `text` costs at most `budget` tokens; never inside a surrogate pair. */
export function takeTokens(text: string, start: number, end: number, budget: number): number {
  let tokens = 0;
  let step = START;
  for (let index = start; index < end; index += 1) {
    step = nextStep(step, text.charCodeAt(index));
    tokens += step >> STATE_BITS;
    if (tokens > budget) return isInsidePair(text, index) ? index - 1 : index;
  }
  return end;
}

function nextStep(step: number, code: number): number {
  return STEPS[((step & STATE_MASK) << CLASS_BITS) | (CLASSES[code] ?? SPACE)] ?? START;
}

function makeSteps(): Uint8Array {
  const steps = new Uint8Array(2 ** (STATE_BITS + CLASS_BITS));
  for (let index = 0; index < steps.length; index += 1) {
    const state = index >> CLASS_BITS;
    const previous = state >> RUN_BITS;
    const kind = index & (2 ** CLASS_BITS - 1);
    const length = RUN_LENGTH[kind] ?? 0;
    if (length === 0) continue;
    const run = continues(previous, kind) ? ((state & (2 ** RUN_BITS - 1)) + 1) % length : 0;
    steps[index] = (run === 0 ? 2 ** STATE_BITS : 0) | (kind << RUN_BITS) | run;
  }
  return steps;
}

function makeClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000);
  for (let code = 0; code < classes.length; code += 1) classes[code] = classOf(code);
  return classes;
}

function continues(previous: number, kind: number): boolean {
  // A capital letter before lowercase letters starts the word that they continue.
  return kind === previous || (kind === LOWER && previous === UPPER);
}

function isInsidePair(text: string, index: number): boolean {
  if (index === 0 || (text.charCodeAt(index) & 0xfc00) !== 0xdc00) return false;
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
}

function classOf(code: number): number {
  if (code < 128) return classOfAscii(code);
  if (code < 0xa1) return code === 0xa0 ? SPACE : PUNCTUATION;
  if (code < 0x2000) return LETTER;
  if (code < 0x2070) return isWideSpace(code) ? SPACE : PUNCTUATION;
  if (code === 0x3000 || code === 0xfeff) return SPACE;
  return code < 0x2e80 ? PUNCTUATION : IDEOGRAPH;
}

function isWideSpace(code: number): boolean {
  return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
}

function classOfAscii(code: number): number {
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return SPACE;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  return PUNCTUATION;
}
