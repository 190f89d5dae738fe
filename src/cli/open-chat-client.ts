import { createMillraceClient, type MillraceClient } from '#src/client/millrace-client.ts';
import type { ServiceAddress } from './find-service.ts';
import { type Patience, refusal, type Retrying, retry } from './retry-call.ts';

/** A model may think before its first word; a longer silence counts as a failure. */
const IDLE_MS = 120_000;
/** Longer than all waits together. */
const TIMEOUT_MS = 120_000;
const PATIENCE: Patience = { unreachableMs: 10_000, busyMs: 60_000 };
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/**
 * The client of `src/client`, as patient as the other commands: retries while the service is busy or unavailable, and
 * notifies the user before each wait.
 */
export function openChatClient(address: ServiceAddress, retrying: Retrying): MillraceClient {
  return createMillraceClient({
    baseUrl: address.url,
    apiKey: address.key,
    timeoutMs: TIMEOUT_MS,
    idleTimeoutMs: IDLE_MS,
    wait: (delayMs) => retrying.wait(delayMs),
    fetch: (input, init) =>
      retry(retrying, PATIENCE, init?.method !== 'POST', async () => {
        const response = await fetch(input, init);
        if (BUSY.has(response.status)) throw await refusal(init?.method ?? 'GET', response);
        return response;
      }),
  });
}
