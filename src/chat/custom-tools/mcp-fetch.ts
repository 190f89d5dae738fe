import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type HttpClient, OutboundError } from '#src/platform/outbound.ts';

const MAX_ANSWER_BYTES = 5_000_000;
/** Statuses whose responses have no body (Fetch standard, null body status). */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/**
 * `fetch` over guarded HTTP, for a JSON-RPC transport. A response is read to its end; from an event stream that is
 * still open at the deadline, the part received counts. Nothing listens in the background.
 * @throws OutboundError
 */
export function createMcpFetch(http: HttpClient, timeoutMs: number): FetchLike {
  return async (url, init) => {
    const method = init?.method ?? 'GET';
    // The response of a server that offers no such stream.
    if (method !== 'POST' && method !== 'DELETE') return new Response(null, { status: 405 });
    const { hostname } = new URL(url);
    const answer = await http.send({
      url: String(url),
      method,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' && { body: init.body }),
      signal: init?.signal ?? AbortSignal.timeout(timeoutMs),
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      excess: 'cut',
      // The transport follows redirects within the server.
      maxRedirects: 0,
    });
    if (answer.isCut && answer.bytes.length >= MAX_ANSWER_BYTES) {
      throw new OutboundError('too-large', `${hostname} sent more than ${MAX_ANSWER_BYTES} bytes.`);
    }
    const isStream = answer.headers.get('content-type')?.includes('text/event-stream') ?? false;
    if (answer.isCut && !isStream) {
      throw new OutboundError('timeout', `${hostname} did not send its whole answer in time.`);
    }
    if (answer.status < 200 || answer.status > 599) {
      throw new OutboundError('network', `${hostname} answered with the status ${answer.status}.`);
    }
    const body = WITHOUT_BODY.includes(answer.status) ? null : new Uint8Array(answer.bytes);
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}
