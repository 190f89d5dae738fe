import { Readable } from 'node:stream';

/** A message that waits for its leave. */
export interface HeldContent {
  /** In bytes. */
  readonly size: number;
  /**
   * Gives the content to whoever reads it, once `release` has resolved. `isInvited` is asked at the first read; `refused`
   * rejects when it says no.
   */
  streamFor(isInvited: () => boolean): Readable;
  /**
   * `held`: nobody has asked for it. `asked`: `release` runs, or has rejected. `begun`: some of it may be given away.
   * `finished`: all of it is.
   */
  readonly state: 'held' | 'asked' | 'begun' | 'finished';
  /** Why `release` has rejected. */
  readonly refusal: { reason: unknown } | null;
  /** Rejects when the content may not be given; never resolves. */
  readonly refused: Promise<never>;
  /** Nothing is given away from here on. Resolves when `release`, if it was called, has come to an end. */
  keep(): Promise<void>;
}

/** `release` is called when the content is read for the first time, not before. */
export function holdContent(raw: Buffer, release: () => Promise<void>): HeldContent {
  let state: HeldContent['state'] = 'held';
  let refusal: HeldContent['refusal'] = null;
  let isKept = false;
  let released: Promise<void> | null = null;
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  const give = async (stream: Readable): Promise<void> => {
    try {
      await release();
    } catch (reason) {
      refusal = { reason };
      refused.reject(reason);
      return;
    }
    // Whoever was to have it may be gone by now.
    if (isKept || stream.destroyed) return;
    state = 'begun';
    stream.push(raw);
    stream.push(null);
  };
  const onRead = (stream: Readable, isInvited: boolean): void => {
    if (released !== null) return;
    state = 'asked';
    if (isInvited) released = give(stream);
    else refused.reject(Object.assign(new Error('Not invited.'), { code: 'EPROTOCOL' }));
  };
  return {
    size: raw.length,
    streamFor(isInvited) {
      const stream: Readable = new Readable({ read: () => onRead(stream, isInvited()) });
      return stream.on('end', () => {
        state = 'finished';
      });
    },
    get state() {
      return state;
    },
    get refusal() {
      return refusal;
    },
    refused: refused.promise,
    async keep() {
      isKept = true;
      await released;
    },
  };
}
