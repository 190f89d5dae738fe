import type { ChatRequest } from './api-types.ts';
import type { Connection } from './connection.ts';
import { AnswerInterrupted, MillraceError } from './millrace-error.ts';
import type { StreamLine } from './packets.ts';
import { readBody, watchIdle } from './read-body.ts';
import { readStreamLines } from './read-stream-lines.ts';

const MAX_RESUMES = 3;
const FIRST_PAUSE_MS = 250;

/** Which answer is read, and how far. */
interface Place {
  sessionId: string | null;
  /** Null until the service has announced the answer. */
  messageId: number | null;
  /** Number of lines so far. */
  next: number;
}

/**
 * Asks, and yields the lines of the answer as they arrive; the last one is a `stop` or an `error` packet. A broken
 * connection is resumed where it broke, up to three times in a row. When the loop is left early, the answer continues
 * for a minute, unless `sessions.stop` ends it.
 * @throws MillraceError for a request that is refused, or a stream that cannot be read; AnswerInterrupted when the
 * answer ended with its connection; the signal's reason
 */
export async function* streamAnswer(
  connection: Connection,
  request: ChatRequest,
  signal?: AbortSignal,
): AsyncGenerator<StreamLine, void> {
  const place: Place = {
    sessionId: request.chat_session_id?.trim() || null,
    messageId: null,
    next: 0,
  };
  const body = { ...request, stream: true };
  const asked = yield* readOnce(connection, place, signal, (limit) =>
    connection.request('POST', '/chat/send-chat-message', { body, signal: limit, timeoutMs: null }),
  );
  if (asked.isWhole) return;
  yield* resume(connection, place, { signal, cause: asked.cause });
}

/**
 * The lines of a session's latest answer from `cursor` on, while it is being written and for ten minutes after its end.
 * @throws as `streamAnswer`
 */
export async function* followAnswer(
  connection: Connection,
  { sessionId, cursor }: { sessionId: string; cursor: number },
  signal?: AbortSignal,
): AsyncGenerator<StreamLine, void> {
  const place: Place = { sessionId, messageId: null, next: cursor };
  const outcome = yield* readOnce(connection, place, signal, (limit) =>
    requestRest(connection, { sessionId, next: cursor }, limit),
  );
  if (outcome.isWhole) return;
  throw new AnswerInterrupted({ sessionId, messageId: place.messageId ?? 0 }, outcome.cause);
}

async function* resume(
  connection: Connection,
  place: Place,
  { signal, cause: firstCause }: { signal: AbortSignal | undefined; cause: unknown },
): AsyncGenerator<StreamLine, void> {
  const { sessionId, messageId } = place;
  if (sessionId === null || messageId === null) {
    throw new MillraceError('The answer broke off before its end; ask again.', {
      status: null,
      errorCode: 'NO_ANSWER',
      cause: firstCause,
    });
  }
  let cause = firstCause;
  for (let attempt = 0; attempt < MAX_RESUMES; attempt += 1) {
    await connection.wait(FIRST_PAUSE_MS * 2 ** attempt, signal);
    const before = place.next;
    try {
      const rest = yield* readOnce(connection, place, signal, (limit) =>
        requestRest(connection, { sessionId, next: place.next }, limit),
      );
      if (rest.isWhole) return;
      ({ cause } = rest);
      // The stream ended normally without more lines, so the answer has ended too.
      if (cause === null) break;
    } catch (error) {
      signal?.throwIfAborted();
      // The service has forgotten the answer, or never knew it.
      if (!(error instanceof MillraceError)) throw error;
      cause = error;
      if (error.status !== null && error.status < 500) break;
    }
    if (place.next > before) attempt = -1;
  }
  throw new AnswerInterrupted({ sessionId, messageId }, cause);
}

function requestRest(
  connection: Connection,
  { sessionId, next }: { sessionId: string; next: number },
  signal: AbortSignal,
): Promise<Response> {
  const path = `/chat/chat-session/${encodeURIComponent(sessionId)}/resume-stream?cursor=${next}`;
  return connection.request('GET', path, {
    headers: next === 0 ? {} : { 'last-event-id': String(next - 1) },
    signal,
    timeoutMs: null,
  });
}

/** Whether the last line arrived. If not, why the connection ended; null when it ended normally. */
type Outcome = { isWhole: true } | { isWhole: false; cause: unknown };

/** Reads one response until its last line, or until it ends otherwise. */
async function* readOnce(
  { idleTimeoutMs }: Connection,
  place: Place,
  signal: AbortSignal | undefined,
  open: (limit: AbortSignal) => Promise<Response>,
): AsyncGenerator<StreamLine, Outcome> {
  using watch = watchIdle(idleTimeoutMs, signal);
  const response = await open(watch.signal);
  try {
    for await (const { index, line } of readStreamLines(readBody(response, watch), place.next)) {
      note(place, index, line);
      yield line;
      if (isLast(line)) return { isWhole: true };
    }
    return { isWhole: false, cause: null };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof MillraceError) throw error;
    return { isWhole: false, cause: error };
  }
}

function note(place: Place, index: number, line: StreamLine): void {
  place.next = index + 1;
  if ('chat_session_id' in line) place.sessionId = line.chat_session_id;
  if ('reserved_assistant_message_id' in line) place.messageId = line.reserved_assistant_message_id;
}

function isLast(line: StreamLine): boolean {
  return 'obj' in line && (line.obj.type === 'stop' || line.obj.type === 'error');
}
