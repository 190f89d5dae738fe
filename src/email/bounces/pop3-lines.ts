import type { Socket } from 'node:net';
import { MailboxFailure } from './mailbox-failure.ts';

/** Response lines have at most 512 bytes (RFC 2449 section 4), but lines of messages are often longer than allowed. */
const MAX_LINE_BYTES = 1024 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

export interface Pop3Lines {
  /** The next line, without CRLF. */
  line(): Promise<Buffer>;
  /**
   * The lines of a response up to its final dot, without CRLF and byte-stuffing. Lines beyond `keepBytes` are read and
   * discarded.
   * @throws MailboxFailure when there are more than `maxBytes`
   */
  block(limits: { keepBytes: number; maxBytes: number }): Promise<Buffer[]>;
  /** Whether unread bytes have arrived. */
  readonly hasMore: boolean;
  /** Stops listening, so that the socket can be wrapped. */
  release(): void;
}

/**
 * Reads lines from a socket, pulling bytes only on demand.
 * @throws MailboxFailure when the connection ends; the signal's reason
 */
export function readLines(socket: Socket, signal: AbortSignal): Pop3Lines {
  const source = readPieces(socket, signal);
  let buffered: Buffer = Buffer.alloc(0);
  const line = async (): Promise<Buffer> => {
    const parts: Buffer[] = [];
    let length = 0;
    for (;;) {
      const end = buffered.indexOf(LF);
      const part = end < 0 ? buffered : buffered.subarray(0, end);
      parts.push(part);
      length += part.length;
      if (length > MAX_LINE_BYTES) throw new MailboxFailure('unsupported_server');
      if (end >= 0) {
        buffered = buffered.subarray(end + 1);
        const whole = Buffer.concat(parts, length);
        return whole.at(-1) === CR ? whole.subarray(0, -1) : whole;
      }
      buffered = await source.next();
    }
  };
  return {
    line,
    async block({ keepBytes, maxBytes }) {
      const kept: Buffer[] = [];
      let bytes = 0;
      for (;;) {
        const next = await line();
        if (next.length === 1 && next[0] === DOT) return kept;
        bytes += next.length + 2;
        if (bytes > maxBytes) throw new MailboxFailure('unsupported_server');
        // RFC 1939 section 3: lines that begin with a dot are sent with an extra one.
        if (bytes <= keepBytes) kept.push(next[0] === DOT ? next.subarray(1) : next);
      }
    },
    get hasMore() {
      return buffered.length > 0 || socket.readableLength > 0;
    },
    release: () => source.release(),
  };
}

function readPieces(
  socket: Socket,
  signal: AbortSignal,
): { next(): Promise<Buffer>; release(): void } {
  let failure: Error | null = null;
  let wake: () => void = () => undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    wake();
  };
  const onEnd = (): void => fail(new MailboxFailure('connection_failed'));
  const onError = (cause: Error): void => fail(new MailboxFailure('connection_failed', { cause }));
  const onAbort = (): void => fail(signal.reason as Error); // an abort reason may be any value
  const events = { readable: () => wake(), end: onEnd, close: onEnd, error: onError };
  for (const [event, listener] of Object.entries(events)) socket.on(event, listener);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    async next() {
      for (;;) {
        if (failure !== null && signal.aborted) throw failure;
        const bytes: unknown = socket.read();
        if (Buffer.isBuffer(bytes)) return bytes;
        if (failure !== null) throw failure;
        const arrival = Promise.withResolvers<void>();
        wake = arrival.resolve;
        await arrival.promise;
      }
    },
    release() {
      for (const [event, listener] of Object.entries(events)) socket.off(event, listener);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
