import type { ServerResponse } from 'node:http';
import { AbortWatch } from '#src/platform/deadline.ts';

/** A client that reads nothing for this long is gone; live streams send a heartbeat far more often. */
const STALLED_MS = 120_000;

/** A reply whose parts are sent as they become available; created by `streamReply`. */
export class StreamReply {
  readonly contentType: string;
  readonly parts: AsyncIterable<string | Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    contentType: string,
    parts: AsyncIterable<string | Uint8Array>,
    headers: Readonly<Record<string, string>>,
  ) {
    this.contentType = contentType;
    this.parts = parts;
    this.headers = headers;
  }
}

/**
 * Streams `parts` with backpressure: the next part is requested once the client has taken the last. A failure before
 * the first part is answered like any other; a later one breaks off the connection, so parts that can explain a failure
 * to the client should do so themselves.
 */
export function streamReply(
  contentType: string,
  parts: AsyncIterable<string | Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): StreamReply {
  return new StreamReply(contentType, parts, headers);
}

/** Sends a stream reply; resolves when the client has read all of it, has disconnected, or has stopped reading. */
export async function sendStream(
  response: ServerResponse,
  reply: StreamReply,
  signal: AbortSignal,
  stalledMs: number = STALLED_MS,
): Promise<void> {
  const iterator = reply.parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (signal.aborted) {
    await iterator.return?.();
    return;
  }
  response.statusCode = 200;
  response.setHeader('Content-Type', reply.contentType);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('X-Accel-Buffering', 'no'); // otherwise nginx would buffer the parts
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  response.setTimeout(stalledMs, () => response.destroy());
  using watch = new AbortWatch(signal);
  try {
    for (let part = first; !part.done; part = await watch.waitFor(iterator.next()))
      await write(response, part.value, watch);
    await watch.waitFor(new Promise<void>((resolve) => response.end(resolve)));
  } catch (error) {
    // Not awaited: parts that hang would also hang in `return`.
    iterator.return?.().then(undefined, () => undefined);
    if (signal.aborted) return;
    response.destroy();
    throw error;
  }
}

/** Resolves when the client has taken enough for the next part. Parts written in one turn are sent together. */
async function write(
  response: ServerResponse,
  part: string | Uint8Array,
  watch: AbortWatch,
): Promise<void> {
  // The signal follows in a moment; a write to a closed response would be an error that nobody handles.
  const isTaken = !response.destroyed && response.write(part);
  if (isTaken) return;
  await watch.waitFor(new Promise<void>((resolve) => response.once('drain', resolve)));
}
