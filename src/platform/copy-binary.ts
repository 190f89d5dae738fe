/** `PGCOPY\n\xff\r\n\0`, then no flags and no header extension (PostgreSQL manual, COPY, "Binary Format"). */
const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const INT4_OID = 23;
/** Postgres counts time from 2000-01-01 UTC. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const TWO_POW_32 = 4_294_967_296;

/**
 * Builds the payload of `COPY … FROM STDIN (FORMAT binary)`: `row(n)`, then exactly n fields in column order, and
 * `finish()` at the end. The column types must be exactly those written: binary COPY converts nothing.
 * A value may not be null; write `null()` for that field.
 */
export class BinaryCopy {
  #buffer: Buffer;
  #view: DataView;
  #length = HEADER.length;
  #rowCount = 0;
  #missingFields = 0;
  #lastUuid = '';
  #lastUuidBytes = Buffer.alloc(0);

  constructor(initialBytes: number = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(initialBytes, HEADER.length + 2));
    this.#view = viewOf(this.#buffer);
    HEADER.copy(this.#buffer);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Bytes written so far, to know when a batch is large enough. */
  get byteLength(): number {
    return this.#length;
  }

  row(fieldCount: number): this {
    this.#checkRowIsComplete();
    this.#reserve(2);
    this.#view.setInt16(this.#length, fieldCount);
    this.#length += 2;
    this.#missingFields = fieldCount;
    this.#rowCount += 1;
    return this;
  }

  null(): this {
    this.#begin(-1, 0);
    return this;
  }

  bool(value: boolean): this {
    const at = this.#begin(1); // first, because it may replace the buffer
    this.#buffer[at] = value ? 1 : 0;
    return this;
  }

  int2(value: number): this {
    const at = this.#begin(2);
    this.#view.setInt16(at, value);
    return this;
  }

  int4(value: number): this {
    const at = this.#begin(4);
    this.#view.setInt32(at, value);
    return this;
  }

  int8(value: number | bigint): this {
    const at = this.#begin(8);
    if (typeof value === 'bigint') {
      this.#view.setBigInt64(at, value);
    } else {
      this.#view.setInt32(at, Math.floor(value / TWO_POW_32));
      this.#view.setUint32(at + 4, value % TWO_POW_32);
    }
    return this;
  }

  float4(value: number): this {
    const at = this.#begin(4);
    this.#view.setFloat32(at, value);
    return this;
  }

  timestamptz(value: Date): this {
    const ms = value.getTime();
    if (Number.isNaN(ms)) throw new RangeError('An invalid Date cannot be copied as timestamptz.');
    return this.int8(BigInt(ms - POSTGRES_EPOCH_MS) * 1000n);
  }

  /** Postgres rejects U+0000 in text: clean the text first (`documents/clean-text.ts`). */
  text(value: string): this {
    // UTF-8 needs at most three bytes per UTF-16 unit, so one pass writes and measures.
    const at = this.#begin(0, value.length * 3);
    const byteCount = this.#buffer.write(value, at, 'utf8');
    this.#view.setInt32(at - 4, byteCount);
    this.#length = at + byteCount;
    return this;
  }

  bytea(value: Uint8Array): this {
    const at = this.#begin(value.length);
    this.#buffer.set(value, at);
    return this;
  }

  /** Accepts the textual form, with or without hyphens. */
  uuid(value: string): this {
    // Most rows of a batch belong to the same workspace.
    if (value !== this.#lastUuid) {
      const bytes = Buffer.from(value.replaceAll('-', ''), 'hex');
      if (bytes.length !== 16) throw new RangeError(`${JSON.stringify(value)} is not a UUID.`);
      this.#lastUuid = value;
      this.#lastUuidBytes = bytes;
    }
    return this.bytea(this.#lastUuidBytes);
  }

  int4Array(values: Int32Array): this {
    const isEmpty = values.length === 0;
    let at = this.#begin(isEmpty ? 12 : 20 + values.length * 8);
    const view = this.#view;
    view.setInt32(at, isEmpty ? 0 : 1); // number of array dimensions
    view.setInt32(at + 4, 0); // no nulls inside
    view.setInt32(at + 8, INT4_OID);
    if (isEmpty) return this;
    view.setInt32(at + 12, values.length);
    view.setInt32(at + 16, 1); // lower bound
    at += 20;
    for (const value of values) {
      view.setInt32(at, 4);
      view.setInt32(at + 4, value);
      at += 8;
    }
    return this;
  }

  /** `bit(bitCount)`: the most significant bit of each byte first. */
  bit(bytes: Uint8Array, bitCount: number): this {
    if (bytes.length !== Math.ceil(bitCount / 8)) {
      throw new RangeError(`${bytes.length} bytes cannot hold exactly ${bitCount} bits.`);
    }
    const at = this.#begin(4 + bytes.length);
    this.#view.setInt32(at, bitCount);
    this.#buffer.set(bytes, at + 4);
    return this;
  }

  /**
   * Writes the trailer and returns the whole payload, a view of this writer's memory. Do not use the writer afterwards.
   */
  finish(): Buffer {
    this.#checkRowIsComplete();
    this.#reserve(2);
    this.#view.setInt16(this.#length, -1);
    this.#length += 2;
    return this.#buffer.subarray(0, this.#length);
  }

  /** Writes a field's length word, reserves space for its bytes and returns where they start. */
  #begin(byteCount: number, room: number = byteCount): number {
    if (this.#missingFields === 0) {
      throw new RangeError(`Row ${this.#rowCount} has more fields than row() announced.`);
    }
    this.#missingFields -= 1;
    this.#reserve(4 + room);
    this.#view.setInt32(this.#length, byteCount);
    const start = this.#length + 4;
    this.#length = start + Math.max(byteCount, 0);
    return start;
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
    this.#view = viewOf(grown);
  }

  #checkRowIsComplete(): void {
    if (this.#missingFields !== 0) {
      throw new RangeError(`Row ${this.#rowCount} lacks ${this.#missingFields} of its fields.`);
    }
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
