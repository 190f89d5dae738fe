const LEAST_ROOM = 1024;

/** Whole numbers of one text after the other, in memory that is used again. */
export class NumberList {
  #values = new Int32Array(LEAST_ROOM);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  add(value: number): void {
    if (this.length === this.#values.length) this.#double();
    this.#values[this.length] = value;
    this.length += 1;
  }

  at(place: number): number {
    return this.#values[place] ?? 0;
  }

  replace(from: number, values: readonly number[]): void {
    this.#values.set(values, from);
  }

  /** Valid until the list is next changed. */
  values(): Int32Array {
    return this.#values.subarray(0, this.length);
  }

  #double(): void {
    const larger = new Int32Array(2 * this.#values.length);
    larger.set(this.#values);
    this.#values = larger;
  }
}
