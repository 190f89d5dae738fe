import { onTestFinished } from 'vitest';
import {
  createHttpClient,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
} from '#src/platform/http.ts';

/** Closed when the test ends. Of all non-public addresses, only 127.0.0.1 is allowed. */
export function openOutboundClient(
  options: Partial<Parameters<typeof createHttpClient>[0]> = {},
): HttpClient {
  const client = createHttpClient({ allowCidrs: ['127.0.0.1/32'], proxyUrl: null, ...options });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

export function callOut(
  url: string,
  request: Partial<OutboundRequest> = {},
  client: HttpClient = openOutboundClient(),
): Promise<OutboundResponse> {
  return client.send({ url, signal: new AbortController().signal, ...request });
}
