import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomLoopback } from './scripted-smtp.ts';

/** An MCP server (streamable HTTP) on its own address, with the tools of a test. */
export interface FakeMcpServer extends AsyncDisposable {
  readonly host: string;
  readonly url: string;
  /** Headers of every request, in order. */
  readonly seen: { method: string; headers: IncomingHttpHeaders }[];
  /** Adds the tools; called for each request, because the server has no sessions. */
  register: (server: McpServer) => void;
  /** Responds instead of the MCP server. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** Answers with whole JSON instead of event streams. */
  answersJson: boolean;
}

export async function startFakeMcpServer(
  register: FakeMcpServer['register'],
): Promise<FakeMcpServer> {
  const host = randomLoopback();
  const http = createServer((request, response) => {
    fake.seen.push({ method: request.method ?? '', headers: request.headers });
    response.on('error', () => undefined).setHeader('connection', 'close');
    if (fake.intercept) fake.intercept(request, response);
    // A client that disconnects in the middle of its request is not a server failure.
    else serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const server = new McpServer({ name: 'fake', version: '1.0.0' });
    fake.register(server);
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: fake.answersJson,
    });
    await server.connect(transport);
    response.on('close', () => void server.close().catch(() => undefined));
    await transport.handleRequest(request, response);
  }

  http.listen(0, host);
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const fake: FakeMcpServer = {
    host,
    url: `http://${host}:${port}/mcp`,
    seen: [],
    register,
    intercept: null,
    answersJson: false,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return fake;
}
