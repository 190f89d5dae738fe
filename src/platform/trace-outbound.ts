import type { HttpClient } from './outbound.ts';
import type { OpenSpan, SpanStart, Tracing } from './tracing.ts';

/**
 * A client whose calls have spans. Only host and port of an address are recorded: paths and queries hold keys. The
 * call itself stays as it is: whom we call learns nothing of our traces.
 */
export function traceCalls(client: HttpClient, tracing: Tracing): HttpClient {
  if (!tracing.isOn) return client;
  return {
    guard: client.guard,
    send: (request) => {
      const method = request.method ?? 'GET';
      return tracing.step(method, call(method, request.url), async (span) => {
        const answer = await client.send(request);
        tellStatus(span, answer.status);
        return answer;
      });
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Like `traceCalls`, for the operator's own services. A span ends when the head of the answer has come. */
export function traceFetch(fetch: typeof globalThis.fetch, tracing: Tracing): typeof fetch {
  if (!tracing.isOn) return fetch;
  return (input, init) => {
    const isRequest = input instanceof Request;
    const method = (init?.method ?? (isRequest ? input.method : 'GET')).toUpperCase();
    const address = isRequest ? input.url : String(input);
    return tracing.step(method, call(method, address), async (span) => {
      const answer = await fetch(input, init);
      tellStatus(span, answer.status);
      return answer;
    });
  };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client */
function call(method: string, address: string): SpanStart {
  const url = URL.parse(address);
  const port = url?.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url?.port);
  return {
    kind: 'client',
    attributes: {
      'http.request.method': method,
      ...(url !== null && { 'server.address': url.hostname, 'server.port': port }),
    },
  };
}

function tellStatus(span: OpenSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 400) span.fail(String(status));
}
