/* Whole numbers as varints: seven bits a byte, the lowest first. */

const PIECE_BYTES = 256;

/** Appends to a buffer that doubles when it is full. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(PIECE_BYTES);
  length = 0;

  /** Appends a whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    if (this.length + 8 > this.#bytes.length) this.#grow(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.length] = (rest % 0x80) + 0x80;
      this.length += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.length] = rest;
    this.length += 1;
  }

  append(other: Uint8Array): void {
    if (this.length + other.length > this.#bytes.length) this.#grow(other.length);
    this.#bytes.set(other, this.length);
    this.length += other.length;
  }

  /** A view of this writer's memory. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.length + by, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.at];
      if (byte === undefined) throw new RangeError('The bytes end within a number.');
      this.at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
}
