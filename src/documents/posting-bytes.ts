import { lengthNorm } from './bm25.ts';
import { ByteReader, ByteWriter } from './varint-bytes.ts';

/*
 * The bytes of postings. All numbers are varints.
 *
 * A bucket holds terms, ascending, and for each the chunks that have it:
 *   head: number of terms; then for each term: its difference to the term before, its chunks, the bytes of its list
 *   lists: for each chunk: (its place in the segment, less the place before) · 2, + 1 if a count follows; the count
 * A directory holds the chunks of a segment in their places:
 *   number of chunks; then for each: its id, less the id before, signed (zigzag); its number of terms + 1, or 0
 */

/** Writes a bucket: `term` for each term, ascending, and after it `add` for each of its chunks, in their places. */
export class BucketWriter {
  readonly #head = new ByteWriter();
  readonly #lists = new ByteWriter();
  #terms = 0;
  #lastTerm = 0;
  #term = 0;
  #chunks = 0;
  #listStart = 0;
  #lastPlace = -1;

  term(term: number): void {
    this.#close();
    this.#term = term;
    this.#listStart = this.#lists.length;
    this.#lastPlace = -1;
  }

  add(place: number, count: number): void {
    const gap = (place - this.#lastPlace) * 2;
    this.#lastPlace = place;
    this.#chunks += 1;
    if (count === 1) {
      this.#lists.varint(gap);
    } else {
      this.#lists.varint(gap + 1);
      this.#lists.varint(count);
    }
  }

  finish(): Buffer {
    this.#close();
    const whole = new ByteWriter();
    whole.varint(this.#terms);
    whole.append(this.#head.finish());
    whole.append(this.#lists.finish());
    return whole.finish();
  }

  /** A term without chunks is left out. */
  #close(): void {
    if (this.#chunks === 0) return;
    this.#head.varint(this.#term - this.#lastTerm);
    this.#head.varint(this.#chunks);
    this.#head.varint(this.#lists.length - this.#listStart);
    this.#lastTerm = this.#term;
    this.#terms += 1;
    this.#chunks = 0;
  }
}

/** The list of a term within the bytes of its bucket. */
export interface PostingList {
  term: number;
  chunks: number;
  bytes: Uint8Array;
}

/** All lists of a bucket, or that of one term. */
export function postingLists(bucket: Uint8Array, only: number | null = null): PostingList[] {
  const reader = new ByteReader(bucket);
  const found: { term: number; chunks: number; start: number; end: number }[] = [];
  let term = 0;
  let end = 0;
  for (let left = reader.varint(); left > 0; left -= 1) {
    term += reader.varint();
    const chunks = reader.varint();
    const start = end;
    end += reader.varint();
    if (only === null || only === term) found.push({ term, chunks, start, end });
  }
  const lists = reader.at;
  return found.map((one) => ({
    term: one.term,
    chunks: one.chunks,
    bytes: bucket.subarray(lists + one.start, lists + one.end),
  }));
}

/** Calls `visit` for each chunk of a list, in their places. */
export function readPostings(
  { bytes }: PostingList,
  visit: (place: number, count: number) => void,
): void {
  const reader = new ByteReader(bytes);
  for (let place = -1; reader.at < bytes.length;) {
    const gap = reader.varint();
    place += Math.floor(gap / 2);
    visit(place, gap % 2 === 1 ? reader.varint() : 1);
  }
}

/** The chunks of a segment, by place. */
export interface Directory {
  ids: Float64Array;
  /** `lengthNorm` of the chunk's number of terms; negative: its counts are bits of weights. */
  norms: Float64Array;
}

export function writeDirectory(ids: Float64Array, lengths: readonly (number | null)[]): Buffer {
  const writer = new ByteWriter();
  writer.varint(ids.length);
  let last = 0;
  for (const [place, id] of ids.entries()) {
    const step = id - last;
    writer.varint(step < 0 ? -step * 2 - 1 : step * 2);
    const length = lengths[place] ?? null;
    writer.varint(length === null ? 0 : length + 1);
    last = id;
  }
  return writer.finish();
}

/** As `writeDirectory` took them. */
export function readDirectory(bytes: Uint8Array): {
  ids: Float64Array;
  lengths: (number | null)[];
} {
  const reader = new ByteReader(bytes);
  const ids = new Float64Array(reader.varint());
  const lengths: (number | null)[] = [];
  let last = 0;
  for (let place = 0; place < ids.length; place += 1) {
    const step = reader.varint();
    last += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    ids[place] = last;
    const length = reader.varint();
    lengths.push(length === 0 ? null : length - 1);
  }
  return { ids, lengths };
}

export function toDirectory(bytes: Uint8Array): Directory {
  const { ids, lengths } = readDirectory(bytes);
  const norms = Float64Array.from(lengths, (length) => (length === null ? -1 : lengthNorm(length)));
  return { ids, norms };
}
