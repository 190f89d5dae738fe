import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { OutboundRequest, OutboundResponse } from './outbound.ts';
import type { OutboundHop } from './outbound-hop.ts';
import { readOutboundBody } from './read-outbound-body.ts';

const MAX_BYTES = 20_000_000;

/**
 * Reads the answer's body, within the limits of the request. @throws like `readOutboundBody`, or the caller's reason
 */
export async function readOutboundAnswer(
  hop: OutboundHop,
  answer: { statusCode: number; headers: IncomingHttpHeaders; body: Readable },
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { statusCode: status, body } = answer;
  let headers: Headers | null = null;
  const { bytes, isCut } = hasBody(hop, answer)
    ? await readOutboundBody(body, {
        host: hop.url.hostname,
        contentEncoding: [answer.headers['content-encoding'] ?? []].flat().join(', '),
        maxBytes: request.maxBytes ?? MAX_BYTES,
        excess: request.excess ?? 'refuse',
        signal,
      })
    : drainBody(body);
  // Only the deadline may cut the body; a caller who aborts wants no answer.
  if (isCut) request.signal.throwIfAborted();
  return {
    status,
    url: hop.url.href,
    // Most callers of a webhook's kind read none.
    get headers() {
      headers ??= headersOf(answer.headers);
      return headers;
    },
    bytes,
    isCut,
    text: () => new TextDecoder().decode(bytes),
  };
}

/** RFC 9110 §6.4.1, and bodies declared empty. */
function hasBody(
  { method }: OutboundHop,
  { statusCode, headers }: { statusCode: number; headers: IncomingHttpHeaders },
): boolean {
  const isBare = method === 'HEAD' || statusCode === 204 || statusCode === 304;
  return !isBare && headers['content-length'] !== '0';
}

/** Reads the body to its end, so that the connection can be reused. */
function drainBody(body: Readable): { bytes: Buffer; isCut: boolean } {
  body.on('error', () => undefined).resume();
  return { bytes: Buffer.alloc(0), isCut: false };
}

function headersOf(raw: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(raw)) {
    for (const value of [values ?? []].flat()) {
      // `Headers` rejects characters that a lenient parser may have accepted.
      headers.append(name, value.replaceAll(/[\0\r\n]/g, ' '));
    }
  }
  return headers;
}
