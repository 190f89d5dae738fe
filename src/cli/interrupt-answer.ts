import type { MillraceClient } from '#src/client/millrace-client.ts';

/** How long a stopped answer has to end properly. */
const STOP_GRACE_MS = 3_000;

/** Ctrl-C while an answer is being written. */
export interface Interruption extends AsyncDisposable {
  /** Aborted when reading on is pointless. */
  readonly signal: AbortSignal;
  /** From now on the service can be asked to stop. */
  inSession(sessionId: string): void;
}

/**
 * Turns Ctrl-C into a stop request: the answer then ends properly, and its partial text is saved as a stopped answer.
 * Before the session is known, and when the service does not react, the connection is closed instead.
 */
export function watchInterrupt(client: MillraceClient, interrupt: AbortSignal): Interruption {
  const leave = new AbortController();
  let sessionId: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let asked: Promise<void> = Promise.resolve();
  const giveUp = (): void => leave.abort(interrupt.reason);
  const stop = (): void => {
    if (sessionId === null) return giveUp();
    timer = setTimeout(giveUp, STOP_GRACE_MS);
    asked = client.sessions.stop(sessionId, { signal: leave.signal }).catch(giveUp);
  };
  if (interrupt.aborted) stop();
  else interrupt.addEventListener('abort', stop, { once: true });
  return {
    signal: leave.signal,
    inSession: (id) => (sessionId = id),
    async [Symbol.asyncDispose]() {
      interrupt.removeEventListener('abort', stop);
      await asked;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
