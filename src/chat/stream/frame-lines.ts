import { toPlatformJson } from '#src/documents/platform-source.ts';
import type { ErrorLine, ErrorPacket, StreamLine } from '#src/chat/wire/packets.ts';

/** Below the idle timeout of every proxy in common use (30 s and more). */
const HEARTBEAT_MS = 15_000;

interface FramingOptions {
  /** Index of the first line in its answer, when a reader joins later. */
  firstIndex?: number;
  heartbeatMs?: number;
}

/**
 * Server-sent events (HTML Living Standard 9.2), one per line, with the line's index in the answer as `id`; a comment
 * after each silence, so that no proxy closes the connection.
 */
export async function* frameAsEvents(
  lines: AsyncIterable<StreamLine>,
  { firstIndex = 0, heartbeatMs = HEARTBEAT_MS }: FramingOptions = {},
): AsyncGenerator<string, void> {
  let index = firstIndex;
  for await (const line of withHeartbeats(lines, heartbeatMs)) {
    if (line === null) {
      yield ': keep-alive\n\n';
      continue;
    }
    yield `id: ${index}\ndata: ${JSON.stringify(line)}\n\n`;
    index += 1;
  }
}

/**
 * Bare JSON lines for the clients of the `/api` prefix; a fatal error is a line without placement. These clients skip
 * empty lines, which serve as heartbeats.
 */
export async function* frameAsLines(
  lines: AsyncIterable<StreamLine>,
  { heartbeatMs = HEARTBEAT_MS }: FramingOptions = {},
): AsyncGenerator<string, void> {
  for await (const line of withHeartbeats(lines, heartbeatMs)) {
    if (line === null) {
      yield '\n';
      continue;
    }
    const body = 'obj' in line ? line.obj : null;
    yield `${toPlatformJson(body?.type === 'error' ? toErrorLine(body) : line)}\n`;
  }
}

/**
 * The lines, with null for each silence; no null before the first line, since a failure until then has an HTTP status
 * of its own.
 */
async function* withHeartbeats(
  lines: AsyncIterable<StreamLine>,
  heartbeatMs: number,
): AsyncGenerator<StreamLine | null, void> {
  const iterator = lines[Symbol.asyncIterator]();
  using silence = new Silence(heartbeatMs);
  try {
    let step = await iterator.next();
    while (step.done !== true) {
      yield step.value;
      const next = iterator.next();
      let arrived = await silence.orValue(next);
      while (arrived === null) {
        yield null;
        arrived = await silence.orValue(next);
      }
      step = arrived;
    }
  } finally {
    await iterator.return?.();
  }
}

/** One timer for all waits of a stream. */
class Silence implements Disposable {
  readonly #timer: NodeJS.Timeout;
  /** Ends the current wait; without effect after it. */
  #end: (() => void) | null = null;

  constructor(limitMs: number) {
    this.#timer = setTimeout(() => this.#end?.(), limitMs);
  }

  /** The promise's value, or null when it takes longer than the limit. */
  orValue<T>(promise: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      this.#end = () => resolve(null);
      this.#timer.refresh();
      promise.then(resolve, reject);
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

function toErrorLine(packet: ErrorPacket): ErrorLine {
  return {
    error: packet.message,
    stack_trace: packet.stack_trace,
    error_code: packet.error_code,
    is_retryable: packet.is_retryable,
    details: packet.details,
  };
}
