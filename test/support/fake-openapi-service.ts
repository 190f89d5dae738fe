import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { randomLoopback } from './scripted-smtp.ts';

/** A call as the service received it. */
export interface ServiceCall {
  method: string;
  /** Path and query, not decoded. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A scripted service on its own address. */
export interface FakeOpenApiService extends AsyncDisposable {
  readonly host: string;
  readonly url: string;
  readonly calls: ServiceCall[];
  /** Answers `{}` as JSON by default. */
  respond: (call: ServiceCall, response: ServerResponse) => void;
}

export async function startFakeOpenApiService(): Promise<FakeOpenApiService> {
  const calls: ServiceCall[] = [];
  const host = randomLoopback();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    // Without an encoding, a request yields buffers.
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const call = { method, url, headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      service.respond(call, response);
    });
    response.on('error', () => undefined);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const service: FakeOpenApiService = {
    host,
    url: `http://${host}:${port}`,
    calls,
    respond: (_, response) => answerJson(response, {}),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The OpenAPI definition of a shop, with every kind of parameter and body. */
export function shopDocument(serverUrl: string): Record<string, unknown> {
  const order = { $ref: '#/components/schemas/Order' };
  return {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: `${serverUrl}/v1` }],
    paths: {
      '/orders': {
        get: {
          operationId: 'listOrders',
          summary: 'Lists orders',
          parameters: [
            { name: 'status', in: 'query', schema: { type: 'string', enum: ['open', 'sent'] } },
            { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
            { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } },
          ],
          responses: { 200: { description: 'Orders' } },
        },
        post: {
          operationId: 'createOrder',
          summary: 'Makes an order',
          requestBody: { required: true, content: { 'application/json': { schema: order } } },
          responses: { 201: { description: 'The order' } },
        },
      },
      '/orders/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: { operationId: 'get order', responses: { 200: { description: 'The order' } } },
        delete: { responses: { 204: { description: 'Gone' } } },
      },
    },
    components: {
      schemas: {
        Order: {
          type: 'object',
          required: ['item'],
          properties: {
            item: { type: 'string' },
            count: { type: 'integer' },
            note: { type: 'string', nullable: true },
            before: { $ref: '#/components/schemas/Order' },
          },
        },
      },
    },
  };
}
