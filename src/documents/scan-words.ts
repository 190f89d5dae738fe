/** Letters and digits of one word between joiners, and parts of one word: nobody writes longer ones. */
const MAX_PART = 30_000;
const MAX_PARTS = 16;
const HASH_PRIME = 0x01000193;
/** Only the buffers of a text that is no longer are kept. */
const MAX_KEPT_UNITS = 2 ** 17;
const LEAST_UNITS = 2 ** 12;

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
/** Stands behind the last unit of a text. */
const END = 0;
KINDS[END] = SEPARATOR;

/**
 * Finds the words of a text: runs of letters, marks and digits, joined by single hyphens, underscores or apostrophes.
 * One pass over the units of the text, which are copied into a typed array first: to ask a string for each takes longer.
 */
export class WordScan {
  /** UTF-16, and `END`. */
  units = new Uint16Array(0);
  #bytes = Buffer.alloc(0);
  /** Of each word of the text that was scanned last: where it starts and ends, and a hash of its units. */
  starts = new Int32Array(0);
  ends = new Int32Array(0);
  hashes = new Int32Array(0);
  /** Of the word that was read last. */
  #hash = 0;

  /** @returns how many words `text` has */
  scan(text: string): number {
    this.#write(text);
    const { units, starts, ends, hashes } = this;
    const { length } = text;
    let words = 0;
    for (let at = 0; at < length;) {
      const kind = KINDS[units[at] ?? END] ?? SEPARATOR;
      if (kind !== PART && (kind === SEPARATOR || this.#partWidth(at) === 0)) {
        at += 1;
        continue;
      }
      starts[words] = at;
      at = this.#readWord(at);
      ends[words] = at;
      hashes[words] = this.#hash;
      words += 1;
    }
    return words;
  }

  #write(text: string): void {
    this.#makeRoom(text.length + 1);
    this.#bytes.write(text, 'utf16le');
    this.units[text.length] = END;
  }

  /** A word has one unit or more, and so has what is between two that are not of the greatest length. */
  #makeRoom(units: number): void {
    const room = this.units.length;
    const isLong = units > MAX_KEPT_UNITS;
    if (units <= room && (isLong || room <= 2 * MAX_KEPT_UNITS)) return;
    const length = Math.max(LEAST_UNITS, isLong ? units : 2 * units);
    this.units = new Uint16Array(length);
    this.#bytes = Buffer.from(this.units.buffer);
    this.starts = new Int32Array(length);
    this.ends = new Int32Array(length);
    this.hashes = new Int32Array(length);
  }

  /** @returns where the word that starts at `start` ends; its hash is then in `#hash` */
  #readWord(start: number): number {
    const { units } = this;
    let at = start;
    let hash = 0;
    let part = 0;
    let parts = 1;
    for (;;) {
      let code = units[at] ?? END;
      while (KINDS[code] === PART && part < MAX_PART) {
        hash = Math.imul(hash ^ code, HASH_PRIME);
        part += 1;
        at += 1;
        code = units[at] ?? END;
      }
      const width = KINDS[code] === SEPARATOR ? -1 : this.#partWidth(at);
      if (width > 0 && part < MAX_PART) {
        part += 1;
      } else if (
        width === 0 &&
        parts < MAX_PARTS &&
        KINDS[code] === JOINER &&
        this.#partWidth(at + 1) > 0
      ) {
        part = 0;
        parts += 1;
      } else {
        this.#hash = hash;
        return at;
      }
      hash = Math.imul(hash ^ code, HASH_PRIME);
      at += Math.max(width, 1);
    }
  }

  /** How many units the letter, mark or digit at `at` has; 0 when there is none. */
  #partWidth(at: number): number {
    const code = this.units[at] ?? END;
    const kind = KINDS[code] ?? SEPARATOR;
    if (kind <= JOINER) return kind === PART ? 1 : 0;
    const point = this.#pointAt(at, code);
    const isPart = WORD_CHARACTER.test(String.fromCodePoint(point));
    if (kind === NOT_ASKED) KINDS[code] = isPart ? PART : SEPARATOR;
    return isPart ? (point > 0xffff ? 2 : 1) : 0;
  }

  #pointAt(at: number, code: number): number {
    const next = this.units[at + 1] ?? END;
    const isPair = (code & 0xfc00) === 0xd800 && (next & 0xfc00) === 0xdc00;
    return isPair ? 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff) : code;
  }
}
