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
  const headers = headersOf(answer.headers);
  const { bytes, isCut } = hasBody(hop, status, headers)
    ? await readOutboundBody(body, {
        host: hop.url.hostname,
        contentEncoding: headers.get('content-encoding') ?? '',
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
    headers,
    bytes,
    isCut,
    text: () => new TextDecoder().decode(bytes),
  };
}

/** RFC 9110 §6.4.1, and bodies declared empty. */
function hasBody({ method }: OutboundHop, status: number, headers: Headers): boolean {
  return (
    method !== 'HEAD' && status !== 204 && status !== 304 && headers.get('content-length') !== '0'
  );
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
