/** Letters and digits of one word between joiners, and parts of one word: nobody writes longer ones. */
const MAX_PART = 30_000;
const MAX_PARTS = 16;
const HASH_PRIME = 0x01000193;

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;
const SEPARATOR = 0;
const PART = 1;
const JOINER = 2;
const SURROGATE = 3;
const NOT_ASKED = 4;
/** Of each UTF-16 unit: one of the kinds above. */
const KINDS = new Uint8Array(0x10000).fill(NOT_ASKED);
KINDS.fill(SURROGATE, 0xd800, 0xe000);
for (const joiner of "-_'’") KINDS[joiner.charCodeAt(0)] = JOINER;

/**
 * Calls `take` for each word of `text`, in order: a run of letters, marks and digits, joined by single hyphens,
 * underscores or apostrophes. One pass over the units of the text, which also gives a hash of each word.
 */
export function scanWords(
  text: string,
  take: (start: number, end: number, hash: number) => void,
): void {
  let at = 0;
  while (at < text.length) {
    const kind = KINDS[text.charCodeAt(at)] ?? SEPARATOR;
    if (kind === SEPARATOR || (kind !== PART && partWidth(text, at) === 0)) {
      at += 1;
    } else {
      const end = readWord(text, at);
      take(at, end, wordHash);
      at = end;
    }
  }
}

/** Of the word that was read last. */
let wordHash = 0;

/** Where the word that starts at `start` ends; its hash is then in `wordHash`. */
function readWord(text: string, start: number): number {
  let at = start;
  let hash = 0;
  let part = 0;
  let parts = 1;
  for (;;) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (KINDS[code] === PART && part < MAX_PART) {
      hash = Math.imul(hash ^ code, HASH_PRIME);
      part += 1;
      at += 1;
      continue;
    }
    const width = partWidth(text, at);
    if (width > 0 && part < MAX_PART) {
      part += 1;
    } else if (
      width === 0 &&
      parts < MAX_PARTS &&
      isJoiner(text, at) &&
      partWidth(text, at + 1) > 0
    ) {
      part = 0;
      parts += 1;
    } else {
      wordHash = hash;
      return at;
    }
    hash = Math.imul(hash ^ code, HASH_PRIME);
    at += Math.max(width, 1);
  }
}

/** How many units the letter, mark or digit at `at` has; 0 when there is none. */
function partWidth(text: string, at: number): number {
  if (at >= text.length) return 0;
  const code = text.charCodeAt(at);
  const kind = KINDS[code] ?? SEPARATOR;
  if (kind <= JOINER) return kind === PART ? 1 : 0;
  const point = text.codePointAt(at) ?? 0;
  const isPart = WORD_CHARACTER.test(String.fromCodePoint(point));
  if (kind === NOT_ASKED) KINDS[code] = isPart ? PART : SEPARATOR;
  return isPart ? (point > 0xffff ? 2 : 1) : 0;
}

function isJoiner(text: string, at: number): boolean {
  return KINDS[text.charCodeAt(at)] === JOINER;
}
