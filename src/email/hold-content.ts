import { Readable } from 'node:stream';

/** Message content that is held back until it may be sent. */
export interface HeldContent {
  /** In bytes. */
  readonly size: number;
  /**
   * Streams the content once `release` has resolved. `mayStart` is called at the first read; if it returns false,
   * `refused` rejects.
   */
  streamFor(mayStart: () => boolean): Readable;
  /**
   * `held`: not read yet. `asked`: `release` is running, or has rejected. `begun`: part of the content may have been
   * read. `finished`: all of it has.
   */
  readonly state: 'held' | 'asked' | 'begun' | 'finished';
  /** Why `release` rejected. */
  readonly refusal: { reason: unknown } | null;
  /** Rejects when the content must not be sent; never resolves. */
  readonly refused: Promise<never>;
  /** Stops any further reading. Resolves when `release`, if it was called, has settled. */
  withhold(): Promise<void>;
}

/** `release` is called on the first read of the content, not before. */
export function holdContent(raw: Buffer, release: () => Promise<void>): HeldContent {
  let state: HeldContent['state'] = 'held';
  let refusal: HeldContent['refusal'] = null;
  let isWithheld = false;
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
    // The reader may have gone meanwhile.
    if (isWithheld || stream.destroyed) return;
    state = 'begun';
    stream.push(raw);
    stream.push(null);
  };
  const onRead = (stream: Readable, mayStart: boolean): void => {
    if (released !== null) return;
    state = 'asked';
    if (mayStart) released = give(stream);
    else refused.reject(Object.assign(new Error('Not invited.'), { code: 'EPROTOCOL' }));
  };
  return {
    size: raw.length,
    streamFor(mayStart) {
      const stream: Readable = new Readable({ read: () => onRead(stream, mayStart()) });
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
    async withhold() {
      isWithheld = true;
      await released;
    },
  };
}
