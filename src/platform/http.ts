import { Agent, fetch as undiciFetch } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;
/** Model servers may think for a while before the first byte; callers set the tighter deadlines. */
const SILENCE_TIMEOUT_MS = 120_000;

/**
 * `fetch` for the endpoints that the operator names in the settings (embedding and language models).
 * Those addresses are trusted, private ones included; redirects are followed by the standard's rules.
 */
export function createOperatorFetch(): typeof globalThis.fetch {
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_TIMEOUT_MS,
    bodyTimeout: SILENCE_TIMEOUT_MS,
  });
  const call = (input: string | URL, init?: RequestInit) =>
    // undici's types and the DOM's describe the same standard, each in its own names.
    undiciFetch(input, { ...(init as Parameters<typeof undiciFetch>[1]), dispatcher });
  return call as unknown as typeof globalThis.fetch;
}
