import type { WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import { openFairGate } from '#src/platform/fair-gate.ts';
import type { HoldBytes } from './split-lines.ts';

/** So much of a body is read without asking. The number of connections limits what that can amount to. */
export const SHORT_BODY_BYTES = 1_048_576;
/** Longest bodies that the requests of a workspace may hold at once, and those of all. */
const BODIES_OF_WORKSPACE = 2;
const BODIES_OF_ALL = 4;
const WAIT_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;

/** The room of one request; disposing gives back all of it. */
export interface RequestRoom extends Disposable {
  readonly hold: HoldBytes;
}

/**
 * The memory of a process for bodies that are read as a whole; each place is a byte. Without it, a hundred connections
 * could make it hold a hundred bodies of MAX_BODY_BYTES. One workspace has half of it at most; requests without a key
 * share that of one workspace.
 */
export type OpenRequestRoom = (workspaceId: WorkspaceId | null, signal: AbortSignal) => RequestRoom;

export function openBodyRoom(
  longestBytes: number,
  startWait = () => AbortSignal.timeout(WAIT_MS),
): OpenRequestRoom {
  const gate = openFairGate<WorkspaceId | null>({
    places: longestBytes * BODIES_OF_ALL,
    placesOfKey: longestBytes * BODIES_OF_WORKSPACE,
    slice: SHORT_BODY_BYTES,
  });
  return (workspaceId, signal) => {
    const held = new DisposableStack();
    return {
      async hold(bytes) {
        const ends = AbortSignal.any([signal, startWait()]);
        try {
          const options = { places: bytes, cost: bytes, signal: ends };
          const leave = await gate.enter(workspaceId, options);
          held.defer(() => leave());
          return leave;
        } catch (error) {
          // Waiting ends in no other way; a client that is gone does not see the answer.
          throw noRoom(error);
        }
      },
      [Symbol.dispose]: () => held.dispose(),
    };
  };
}

function noRoom(cause: unknown): Problem {
  return new Problem(
    'SERVICE_UNAVAILABLE',
    'Too many large bodies are being read. Nothing of this one was stored. Send fewer at a time, and this one again later.',
    { cause, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
