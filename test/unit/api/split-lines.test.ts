import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { splitLines } from '#src/api/split-lines.ts';

const LIMIT = 1_000_000;
const PIECE = Buffer.alloc(100_000, 'x');
/** More than a line may have without asking. */
const LONG_PIECES = 3;

afterEach(() => void vi.useRealTimers());

/** Lends as much as is asked for, one loan after the other when told so, and knows what is out. */
function lender() {
  const asked: number[] = [];
  const granted: (() => void)[] = [];
  let outBytes = 0;
  let isStrict = false;
  return {
    asked,
    granted,
    outBytes: () => outBytes,
    beStrict: () => void (isStrict = true),
    hold: async (bytes: number) => {
      asked.push(bytes);
      if (isStrict) await new Promise<void>((resolve) => granted.push(resolve));
      let left = bytes;
      outBytes += bytes;
      return (count = left): void => {
        left -= count;
        outBytes -= count;
      };
    },
  };
}

async function* piecesOf(
  pieces: readonly (Buffer | string)[],
  onRead: () => void = () => undefined,
) {
  for (const piece of pieces) {
    onRead();
    yield Buffer.from(piece);
  }
}

describe('the room of a line', () => {
  it('is its size, and given back once, when the line is dropped', async () => {
    const { hold, asked, outBytes } = lender();
    const sizes: number[] = [];
    for await (const line of splitLines(piecesOf(['ab', 'c\n\n  \nde\r\n', 'f']), LIMIT, hold)) {
      sizes.push(outBytes());
      line.drop();
      line.drop();
    }
    expect(asked).toEqual([3, 3, 1]);
    expect(sizes).toEqual([3, 3, 1]);
    expect(outBytes()).toBe(0);
  });

  it('is that of the longest line while a long one arrives, and nothing is read before it is lent', async () => {
    const loans = lender();
    loans.beStrict();
    let read = 0;
    const pieces = [...Array<Buffer>(LONG_PIECES + 2).fill(PIECE), '\n'];
    const lines = splitLines(
      piecesOf(pieces, () => (read += 1)),
      LIMIT,
      loans.hold,
    );
    const first = lines.next();
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect([read, loans.asked]).toEqual([LONG_PIECES, [LIMIT + 1]]);
    loans.granted.shift()?.();
    const { value } = await first;
    expect(value?.text.length).toBe(PIECE.length * (LONG_PIECES + 2));
    // What the line did not need is there for others.
    expect(loans.outBytes()).toBe(PIECE.length * (LONG_PIECES + 2));
    value?.drop();
    expect(loans.outBytes()).toBe(0);
    expect(loans.asked).toEqual([LIMIT + 1]);
  });

  it('is given back when the sender stops in the middle of a long line', async () => {
    const { hold, outBytes } = lender();
    async function* broken() {
      for (let n = 0; n <= LONG_PIECES; n += 1) yield PIECE;
      expect(outBytes()).toBe(LIMIT + 1);
      throw new Error('cut off');
    }
    await expect(splitLines(broken(), LIMIT, hold).next()).rejects.toThrow('cut off');
    expect(outBytes()).toBe(0);
  });

  it('is not lent for longer than five minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const { hold, outBytes } = lender();
    async function* slow() {
      for (let minute = 0; minute < 20; minute += 1) {
        vi.setSystemTime(minute * 60_000);
        yield minute < LONG_PIECES ? PIECE : Buffer.from('x');
      }
    }
    await expect(splitLines(slow(), LIMIT, hold).next()).rejects.toThrow(
      'arrived too slowly. Send it within 5 minutes.',
    );
    expect(outBytes()).toBe(0);
  });

  it('is never asked for by a line that is cut short', async () => {
    const { hold, asked } = lender();
    const chunks = [...Array<Buffer>(10).fill(PIECE), '\nnext'];
    const lengths: number[] = [];
    for await (const { text } of splitLines(piecesOf(chunks), 100, hold)) lengths.push(text.length);
    expect(lengths).toEqual([101, 4]);
    expect(asked).toEqual([101, 4]);
  });
});
