import { phraseForm } from '#src/documents/match-phrase.ts';
import { isUnspaced } from '#src/documents/expand-word.ts';

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const SPACE = 32;

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;
/** Its form depends on its neighbours: marks, halves of a pair, conjoining Jamo, and the Σ that may end a word. */
const DEPENDENT = /[\p{M}\p{Cs}\u1100-\u11FFΣ]/u;
const SEPARATOR = 0;
const APOSTROPHE = 1;
const UNKNOWN = 2;
const NOT_ASKED = 3;
/** Of each code unit: the lower-case unit that stands for it in a form, or one of the four above. */
const UNITS = new Uint16Array(0x10000).fill(NOT_ASKED);

/**
 * A hash (FNV-1a) of each word of `phraseForm(text)`, in order. Two hundred passages have forty thousand words, so text
 * in most scripts is read in one pass, without making the form.
 */
export function hashWords(text: string): Int32Array {
  return scanWords(text) ?? hashForm(phraseForm(text));
}

/** Null when the text has a character that takes more than a look at its code. */
function scanWords(text: string): Int32Array | null {
  const hashes = new Int32Array(Math.ceil(text.length / 2));
  let words = 0;
  let hash = FNV_OFFSET;
  let isInWord = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = unitAt(text, at);
    if (unit === UNKNOWN) return null;
    if (unit > UNKNOWN) {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
      isInWord = true;
    } else if (isInWord && !(unit === APOSTROPHE && unitAt(text, at + 1) > UNKNOWN)) {
      hashes[words] = hash;
      words += 1;
      hash = FNV_OFFSET;
      isInWord = false;
    }
  }
  if (isInWord) {
    hashes[words] = hash;
    words += 1;
  }
  return hashes.subarray(0, words);
}

function unitAt(text: string, at: number): number {
  if (at >= text.length) return SEPARATOR;
  const code = text.charCodeAt(at);
  const known = UNITS[code] ?? UNKNOWN;
  if (known !== NOT_ASKED) return known;
  const unit = unitOf(text.charAt(at));
  UNITS[code] = unit;
  return unit;
}

function hashForm(form: string): Int32Array {
  const hashes = new Int32Array(form === '' ? 0 : Math.ceil(form.length / 2));
  let words = 0;
  let hash = FNV_OFFSET;
  for (let at = 0; at <= form.length && form !== ''; at += 1) {
    const unit = at === form.length ? SPACE : form.charCodeAt(at);
    if (unit === SPACE) {
      hashes[words] = hash;
      words += 1;
      hash = FNV_OFFSET;
    } else {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
    }
  }
  return hashes.subarray(0, words);
}

function unitOf(character: string): number {
  if (character === "'" || character === '’') return APOSTROPHE;
  if (DEPENDENT.test(character) || isUnspaced(character)) return UNKNOWN;
  const normal = character.normalize('NFKC').toLowerCase();
  if (!WORD_CHARACTER.test(normal)) return SEPARATOR;
  if (normal.length > 1 || DEPENDENT.test(normal) || isUnspaced(normal)) return UNKNOWN;
  return normal.charCodeAt(0);
}
