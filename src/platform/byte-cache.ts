/** What an entry costs beside its own bytes. */
const ENTRY_BYTES = 200;

interface Entry<Value> {
  value: Value;
  bytes: number;
}

/** Values by name, up to a number of bytes; those asked for longest ago leave first. */
export class ByteCache<Name, Value> {
  readonly #maxBytes: number;
  readonly #entries = new Map<Name, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(name: Name): Value | null {
    const entry = this.#entries.get(name);
    if (!entry) return null;
    // Last in the order.
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** Takes the place of what the name had. What is larger than a fourth of the cache is not kept. */
  set(name: Name, value: Value, valueBytes: number): void {
    this.#delete(name);
    const bytes = valueBytes + ENTRY_BYTES;
    if (bytes > this.#maxBytes / 4) return;
    this.#entries.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  #delete(name: Name): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }
}
