import { Problem } from '#src/platform/errors.ts';
import type { Leave } from '#src/platform/fair-gate.ts';

const NEWLINE = 0x0a;
/** So much of a line is read without asking; of a longer one, no more until there is room for the longest. */
const SHORT_BYTES = 262_144;
/** Room for the longest line is lent for so long, however slowly the line arrives: as long as for a whole body. */
const LONG_LINE_MS = 300_000;

/** Resolves once so many bytes may be kept, with the function that gives them back. */
export type HoldBytes = (bytes: number) => Promise<Leave>;

/** A line, and the room that it takes: given back by `drop`, once nothing needs its text any more. */
export interface HeldLine {
  readonly text: string;
  drop(): void;
}

/**
 * Without blank lines, separated by LF or CRLF. A line longer than `limit` bytes is cut to `limit + 1`. Reads on only
 * while there is room: a sender that is faster than its lines are stored has to wait.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  limit: number,
  hold: HoldBytes,
): AsyncGenerator<HeldLine> {
  const line = new GrowingLine(limit, hold);
  try {
    for await (const chunk of chunks) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        await line.append(chunk.subarray(start, end));
        start = end + 1;
        const held = await line.finish();
        if (held) yield held;
      }
      await line.append(chunk.subarray(start));
    }
    const last = await line.finish();
    if (last) yield last;
  } finally {
    line.drop();
  }
}

/** The line that is arriving. */
class GrowingLine {
  readonly #limit: number;
  readonly #hold: HoldBytes;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Of a long line: room for the longest one. */
  #lent: { leave: Leave; untilMs: number } | null = null;

  constructor(limit: number, hold: HoldBytes) {
    this.#limit = limit;
    this.#hold = hold;
  }

  /** @throws Problem when a long line takes too long to arrive */
  async append(part: Buffer): Promise<void> {
    if (this.#lent && Date.now() > this.#lent.untilMs) throw arrivedTooSlowly();
    const kept = part.subarray(0, Math.max(0, this.#limit + 1 - this.#bytes));
    if (kept.length === 0) return;
    if (this.#lent === null && this.#bytes + kept.length > SHORT_BYTES) {
      const leave = await this.#hold(this.#limit + 1);
      this.#lent = { leave, untilMs: Date.now() + LONG_LINE_MS };
    }
    this.#parts.push(kept);
    this.#bytes += kept.length;
  }

  /** The line so far, after which the next one begins; null for a blank one. */
  async finish(): Promise<HeldLine | null> {
    const text = textOf(this.#parts);
    if (text === '') {
      this.drop();
      return null;
    }
    const bytes = this.#bytes;
    const leave = this.#lent?.leave ?? (await this.#hold(bytes));
    if (this.#lent) leave(this.#limit + 1 - bytes);
    this.#begin();
    return { text, drop: () => leave() };
  }

  /** Gives back the room of the line that has not ended. */
  drop(): void {
    this.#lent?.leave();
    this.#begin();
  }

  #begin(): void {
    this.#lent = null;
    this.#parts = [];
    this.#bytes = 0;
  }
}

function textOf(parts: Buffer[]): string {
  const text = Buffer.concat(parts).toString('utf8');
  return text.trim() === '' ? '' : text.replace(/^\uFEFF/, '').replace(/\r$/, '');
}

function arrivedTooSlowly(): Problem {
  return new Problem(
    'BAD_REQUEST',
    `A line of more than ${SHORT_BYTES} bytes arrived too slowly. Send it within ${LONG_LINE_MS / 60_000} minutes.`,
  );
}
