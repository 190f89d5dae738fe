import { WordScan } from './scan-words.ts';

/** Longer words are hardly ever met again. */
const MAX_KEPT_LENGTH = 64;
const MAX_KEPT_WORDS = 50_000;
const SLOTS = 2 ** 17;
/** Words with one hash beyond this number are not kept, so nobody can make the table slow. */
const MAX_PROBES = 16;

/** The number of every word that is not kept. */
export const UNKEPT = -1;
/** Numbers of kept words are below this. */
export const MAX_NUMBERS = 2 * MAX_KEPT_WORDS;

/**
 * The words of texts, each with what was made of it once: frequencies are Zipfian, so most words are known. Words are
 * numbered, so that what is needed of each word of every text can be kept in typed arrays, and the characters of all
 * stand in one: a text meets hundreds of words, and each object on the way to one would be a cache miss.
 */
export class WordTable<Entry> {
  readonly #create: (word: string) => Entry;
  readonly #onForget: () => void;
  /** Numbers plus one; 0 is a free slot. */
  readonly #slots = new Int32Array(SLOTS);
  readonly #hashes = new Int32Array(MAX_NUMBERS);
  /** Where the characters of each word end, and those of the next begin. */
  readonly #ends = new Int32Array(MAX_NUMBERS);
  #characters = new Uint16Array(2 ** 16);
  #entries: Entry[] = [];
  readonly #scan = new WordScan();
  /** Numbers of the words of the text that was read last, in order. */
  numbers = new Int32Array(0);
  /** Entries of those that are not kept, by place. */
  #unkept = new Map<number, Entry>();

  /**
   * @param create makes the entry of a word; called again for a word that was forgotten
   * @param onForget called when all words are forgotten, which happens between texts
   */
  constructor(create: (word: string) => Entry, onForget: () => void) {
    this.#create = create;
    this.#onForget = onForget;
  }

  /** Where the words of the text that was read last start. */
  get starts(): Int32Array {
    return this.#scan.starts;
  }

  /**
   * Reads a text and finds the number of each word; words that are known are not copied.
   * @returns how many words there are
   */
  read(text: string): number {
    if (this.#entries.length >= MAX_KEPT_WORDS) this.forget();
    if (this.#unkept.size > 0) this.#unkept = new Map();
    const words = this.#scan.scan(text);
    if (this.numbers.length !== this.starts.length) {
      this.numbers = new Int32Array(this.starts.length);
    }
    const { numbers } = this;
    for (let at = 0; at < words; at += 1) numbers[at] = this.#numberOf(text, at);
    return words;
  }

  /** What was made of the word at a place of the text that was read last. */
  entryAt(at: number): Entry {
    const number = this.numbers[at] ?? UNKEPT;
    // `read` has made the entry of each place.
    return (number === UNKEPT ? this.#unkept.get(at) : this.#entries[number]) as Entry;
  }

  /** The text that was read last is forgotten as well. */
  forget(): void {
    this.#slots.fill(0);
    this.#entries = [];
    this.#onForget();
  }

  #numberOf(text: string, at: number): number {
    const { starts, ends, hashes } = this.#scan;
    const start = starts[at] ?? 0;
    const length = (ends[at] ?? 0) - start;
    const hash = hashes[at] ?? 0;
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (let probes = 0; probes < MAX_PROBES && length <= MAX_KEPT_LENGTH; probes += 1) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) {
        if (this.#entries.length >= MAX_NUMBERS) break;
        this.#slots[slot] = this.#entries.length + 1;
        return this.#keep(text.slice(start, start + length), hash);
      }
      if (this.#hashes[number] === hash && this.#isWord(number, start, length)) return number;
      slot = (slot + 1) & (SLOTS - 1);
    }
    this.#unkept.set(at, this.#create(text.slice(start, start + length)));
    return UNKEPT;
  }

  #keep(word: string, hash: number): number {
    const number = this.#entries.length;
    // A slice keeps its whole text alive; a copy does not.
    this.#entries.push(this.#create(Buffer.from(word).toString()));
    const from = this.#startOf(number);
    if (from + word.length > this.#characters.length) this.#doubleCharacters();
    for (let at = 0; at < word.length; at += 1) this.#characters[from + at] = word.charCodeAt(at);
    this.#ends[number] = from + word.length;
    this.#hashes[number] = hash;
    return number;
  }

  #isWord(number: number, start: number, length: number): boolean {
    const from = this.#startOf(number);
    if ((this.#ends[number] ?? 0) - from !== length) return false;
    const characters = this.#characters;
    const { units } = this.#scan;
    for (let at = 0; at < length; at += 1) {
      if (units[start + at] !== characters[from + at]) return false;
    }
    return true;
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
  }

  #doubleCharacters(): void {
    const larger = new Uint16Array(2 * this.#characters.length);
    larger.set(this.#characters);
    this.#characters = larger;
  }
}
