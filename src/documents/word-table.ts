import { WordScan } from './scan-words.ts';

/** Longer words are hardly ever met again. */
const MAX_KEPT_LENGTH = 64;
const MAX_KEPT_WORDS = 50_000;
const MAX_NUMBERS = 2 * MAX_KEPT_WORDS;
const SLOTS = 2 ** 17;
/** Words with one hash beyond this number are not kept, so nobody can make the table slow. */
const MAX_PROBES = 16;

/** Fields of a record. Behind them stand the units of the word. */
const HASH = 0;
const LENGTH = 1;
const NUMBER = 2;
/** What `tokenize.ts` makes of a word: so many terms under a salt, and so many features; `UNKNOWN` until it has asked. */
export const SALT = 3;
export const TERMS = 4;
export const FEATURES = 5;
/** If there is one, it stands here; if there are more, this says where. */
export const TERM = 6;
export const FEATURE = 7;
const FIELDS = 8;
export const UNKNOWN = -1;
/** The record of every word that is not kept: what it says is of the last that was asked for. */
export const UNKEPT = 0;

/**
 * The words of texts, each with what was made of it once: frequencies are Zipfian, so most words are known. All that a
 * text asks of a word stands in one record of one typed array: a text meets hundreds of words, and each further array
 * or object on the way would be a cache miss.
 */
export class WordTable<Entry> {
  readonly #create: (word: string) => Entry;
  readonly #onForget: () => void;
  /** Where the records of words begin; 0 is a free slot. */
  readonly #slots = new Int32Array(SLOTS);
  records = new Int32Array(2 ** 16).fill(UNKNOWN, 0, FIELDS);
  #units = new Uint16Array(this.records.buffer);
  #end = FIELDS;
  #entries: Entry[] = [];
  readonly #scan = new WordScan();
  /** Where the records of the words of the text that was read last begin, in order. */
  places = new Int32Array(0);
  /** Entries of those that are not kept, by their position in the text. */
  #unkept = new Map<number, Entry>();

  /**
   * @param create makes the entry of a word; called again for a word that was forgotten
   * @param onForget called when all words are forgotten, which happens between texts
   */
  constructor(create: (word: string) => Entry, onForget: () => void) {
    this.#create = create;
    this.#onForget = onForget;
  }

  /** Where the words of the text that was read last start in it, and end. */
  get starts(): Int32Array {
    return this.#scan.starts;
  }

  get ends(): Int32Array {
    return this.#scan.ends;
  }

  /**
   * Reads a text and finds the record of each word; words that are known are not copied.
   * @returns how many words there are
   */
  read(text: string): number {
    if (this.#entries.length >= MAX_KEPT_WORDS) this.forget();
    if (this.#unkept.size > 0) this.#unkept = new Map();
    const words = this.#scan.scan(text);
    if (this.places.length !== this.starts.length) this.places = new Int32Array(this.starts.length);
    const { places } = this;
    const { starts, ends, hashes } = this.#scan;
    for (let at = 0; at < words; at += 1) {
      const start = starts[at] ?? 0;
      const length = (ends[at] ?? 0) - start;
      const hash = hashes[at] ?? 0;
      // Nearly all words stand in their first slot.
      const place = this.#slots[slotOf(hash)] ?? 0;
      const isFound = place !== 0 && this.#isWord(place, hash, start, length);
      places[at] = isFound ? place : this.#find(text, at);
    }
    return words;
  }

  /** What was made of a word of the text that was read last. */
  entryAt(at: number): Entry {
    const place = this.places[at] ?? UNKEPT;
    const number = this.records[place + NUMBER] ?? 0;
    // `read` has made an entry for each word.
    return (place === UNKEPT ? this.#unkept.get(at) : this.#entries[number]) as Entry;
  }

  /** The text that was read last is forgotten as well. */
  forget(): void {
    this.#slots.fill(0);
    this.#entries = [];
    this.#end = FIELDS;
    this.#onForget();
  }

  #find(text: string, at: number): number {
    const { starts, ends, hashes } = this.#scan;
    const start = starts[at] ?? 0;
    const length = (ends[at] ?? 0) - start;
    const hash = hashes[at] ?? 0;
    let slot = slotOf(hash);
    for (let probes = 0; probes < MAX_PROBES && length <= MAX_KEPT_LENGTH; probes += 1) {
      const place = this.#slots[slot] ?? 0;
      if (place === 0) {
        if (this.#entries.length >= MAX_NUMBERS) break;
        this.#slots[slot] = this.#end;
        return this.#keep(text.slice(start, start + length), hash);
      }
      if (this.#isWord(place, hash, start, length)) return place;
      slot = (slot + 1) & (SLOTS - 1);
    }
    this.#unkept.set(at, this.#create(text.slice(start, start + length)));
    return UNKEPT;
  }

  #keep(word: string, hash: number): number {
    const place = this.#end;
    this.#end = place + FIELDS + Math.ceil(word.length / 2);
    if (this.#end > this.records.length) this.#doubleRecords();
    const { records } = this;
    records.fill(UNKNOWN, place, place + FIELDS);
    records[place + HASH] = hash;
    records[place + LENGTH] = word.length;
    records[place + NUMBER] = this.#entries.length;
    const units = 2 * (place + FIELDS);
    for (let at = 0; at < word.length; at += 1) this.#units[units + at] = word.charCodeAt(at);
    // A slice keeps its whole text alive; a copy does not.
    this.#entries.push(this.#create(Buffer.from(word).toString()));
    return place;
  }

  #isWord(place: number, hash: number, start: number, length: number): boolean {
    const { records } = this;
    if (records[place + HASH] !== hash || records[place + LENGTH] !== length) return false;
    const from = 2 * (place + FIELDS);
    const known = this.#units;
    const { units } = this.#scan;
    for (let at = 0; at < length; at += 1) {
      if (units[start + at] !== known[from + at]) return false;
    }
    return true;
  }

  #doubleRecords(): void {
    const larger = new Int32Array(2 * this.records.length);
    larger.set(this.records);
    this.records = larger;
    this.#units = new Uint16Array(larger.buffer);
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
