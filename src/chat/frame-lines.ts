import type { ErrorPacket, StreamLine } from './packets.ts';

/** Below the idle timeout of every proxy in common use (30 s and more). */
const HEARTBEAT_MS = 15_000;

/** Server-sent events, one a line, with a comment after each silence so that no proxy closes the connection. */
export async function* frameAsEvents(
  lines: AsyncIterable<StreamLine>,
  heartbeatMs: number = HEARTBEAT_MS,
): AsyncGenerator<string, void> {
  const iterator = lines[Symbol.asyncIterator]();
  try {
    // No heartbeat before the first line: a failure until then still has a status of its own.
    let step = await iterator.next();
    while (step.done !== true) {
      yield `data: ${JSON.stringify(step.value)}\n\n`;
      const next = iterator.next();
      let arrived = await withinSilence(next, heartbeatMs);
      while (arrived === null) {
        yield ': keep-alive\n\n';
        arrived = await withinSilence(next, heartbeatMs);
      }
      step = arrived;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Bare JSON lines, as the clients of the `/api` prefix read them; a fatal error is a line without placement. */
export async function* frameAsLines(
  lines: AsyncIterable<StreamLine>,
): AsyncGenerator<string, void> {
  for await (const line of lines) {
    const body = 'obj' in line ? line.obj : null;
    yield `${JSON.stringify(body?.type === 'error' ? toErrorLine(body) : line)}\n`;
  }
}

function toErrorLine(packet: ErrorPacket): Record<string, unknown> {
  return {
    error: packet.message,
    stack_trace: packet.stack_trace,
    error_code: packet.error_code,
    is_retryable: packet.is_retryable,
    details: packet.details,
  };
}

/** The promise's value, or null when it takes longer. */
async function withinSilence<T>(promise: Promise<T>, limitMs: number): Promise<T | null> {
  const { promise: silence, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), limitMs);
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
