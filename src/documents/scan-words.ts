/** Letters and digits of one word between joiners, and parts of one word: nobody writes longer ones. */
const MAX_PART = 30_000;
const MAX_PARTS = 16;
/** Longer words are hardly ever met again. */
const MAX_KEPT_LENGTH = 64;
const MAX_KEPT_WORDS = 50_000;
const SLOTS = 2 ** 17;
/** Words with one hash beyond this number are not kept, so nobody can make the table slow. */
const MAX_PROBES = 16;
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

/** The words of texts, each with what was made of it once: frequencies are Zipfian, so most words are known. */
export interface WordTable<Entry> {
  /**
   * Calls `take` for each word of `text`, in order: a run of letters, marks and digits, joined by single hyphens,
   * underscores or apostrophes. One pass over the units of the text; words that are known are not copied.
   */
  scan(text: string, take: (entry: Entry, start: number) => void): void;
}

/**
 * @param create makes the entry of a word; called again for a word that was forgotten
 * @param onForget called when all words are forgotten, which happens between texts
 */
export function createWordTable<Entry>(
  create: (word: string) => Entry,
  onForget: () => void,
): WordTable<Entry> {
  const slots = new Int32Array(SLOTS);
  let words: string[] = [];
  let entries: Entry[] = [];

  const forget = (): void => {
    slots.fill(0);
    words = [];
    entries = [];
    onForget();
  };
  const keep = (slot: number, word: string): Entry => {
    // A slice keeps its whole text alive; a copy does not.
    const own = Buffer.from(word).toString();
    const entry = create(own);
    words.push(own);
    entries.push(entry);
    slots[slot] = words.length;
    return entry;
  };

  const entryOf = (text: string, start: number, end: number, hash: number): Entry => {
    const length = end - start;
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (let probes = 0; probes < MAX_PROBES && length <= MAX_KEPT_LENGTH; probes += 1) {
      const number = slots[slot] ?? 0;
      if (number === 0) {
        if (words.length >= 2 * MAX_KEPT_WORDS) break;
        return keep(slot, text.slice(start, end));
      }
      const word = words[number - 1] ?? '';
      if (word.length === length && standsAt(text, start, word))
        return entries[number - 1] as Entry;
      slot = (slot + 1) & (SLOTS - 1);
    }
    return create(text.slice(start, end));
  };

  return {
    scan(text, take) {
      if (words.length >= MAX_KEPT_WORDS) forget();
      let at = 0;
      while (at < text.length) {
        if (partWidth(text, at) === 0) {
          at += 1;
        } else {
          const end = readWord(text, at);
          take(entryOf(text, at, end, wordHash), at);
          at = end;
        }
      }
    },
  };
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
    hash = Math.imul(hash ^ text.charCodeAt(at), HASH_PRIME);
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

function standsAt(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    if (text.charCodeAt(start + at) !== word.charCodeAt(at)) return false;
  }
  return true;
}
