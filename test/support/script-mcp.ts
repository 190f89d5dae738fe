import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FakeMcpServer } from './fake-mcp-server.ts';
import type { Json } from './tool-tenant.ts';

/** Answers a JSON-RPC request with any result. */
export function script(
  answer: (message: Json, request: IncomingMessage, response: ServerResponse) => void,
) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      let message: Json;
      try {
        message = text === '' ? {} : JSON.parse(text);
      } catch {
        // Not a message, for example from a client that gave up: answer 400 instead of failing.
        return void response.writeHead(400).end();
      }
      answer(message, request, response);
    });
  };
}

export const sendJson = (response: ServerResponse, value: unknown): void =>
  void response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(typeof value === 'string' ? value : JSON.stringify(value));

/** A server with a correct handshake whose tool list the test decides. */
export const listing = (list: (message: Json, response: ServerResponse) => void) =>
  script((message, request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
    } else if (message.method === 'initialize') {
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    } else if (message.id === undefined) {
      response.writeHead(202).end();
    } else {
      list(message, response);
    }
  });
export const listed = (list: unknown[], more: object = {}) =>
  listing((message, response) =>
    sendJson(response, { jsonrpc: '2.0', id: message.id, result: { tools: list, ...more } }),
  );
export const tool = (name: string, inputSchema: object = { type: 'object' }) => ({
  name,
  inputSchema,
});

/** Opens an event stream and never answers. */
export const hold: NonNullable<FakeMcpServer['intercept']> = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': I think\n\n');
};
