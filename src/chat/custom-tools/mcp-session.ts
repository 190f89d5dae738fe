import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ListToolsResultSchema,
  type Tool as ServerTool,
} from '@modelcontextprotocol/sdk/types.js';
import { untilAborted } from '#src/platform/deadline.ts';
import type { HttpClient } from '#src/platform/outbound.ts';
import { type CustomHeader, secretsOf } from './custom-headers.ts';
import { explainMcpFailure } from './explain-mcp-failure.ts';
import type { JsonObject } from './json-object.ts';
import { createMcpFetch } from './mcp-fetch.ts';
import { McpFailed } from './mcp-failed.ts';

export type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** For one exchange; an event stream may take as long. */
const CALL_TIMEOUT_MS = 30_000;
/** Longer, so that what has arrived by then is still read. */
const REQUEST_TIMEOUT_MS = CALL_TIMEOUT_MS + 2_000;
const FAREWELL_TIMEOUT_MS = 1_000;
const MAX_PAGES = 20;
const MAX_SERVER_TOOLS = 100;

/** A session with an MCP server (streamable HTTP, revision 2025-11-25 and earlier). */
export interface McpSession {
  /** @throws McpFailed, also for more than `MAX_SERVER_TOOLS` */
  listTools(signal: AbortSignal): Promise<ServerTool[]>;
  /** @throws McpFailed, or the signal's reason */
  callTool(name: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  /** Tells the server, and cancels calls in progress. */
  close(): Promise<void>;
}

export interface McpAddress {
  url: string;
  headers: readonly CustomHeader[];
}

/**
 * Connects and initializes the session.
 * @throws McpFailed, or the signal's reason
 */
export async function openMcpSession(
  http: HttpClient,
  { url, headers }: McpAddress,
  signal: AbortSignal,
  timeoutMs: number = CALL_TIMEOUT_MS,
): Promise<McpSession> {
  const transport = openTransport(http, { url, headers }, timeoutMs);
  const client = new Client({ name: 'Millrace', version: '1.0.0' });
  const requestTimeoutMs = timeoutMs + (REQUEST_TIMEOUT_MS - CALL_TIMEOUT_MS);
  const ask = async <T>(call: Promise<T>, askSignal: AbortSignal): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      askSignal.throwIfAborted();
      throw explainMcpFailure(error, new URL(url).hostname, secretsOf(headers));
    }
  };
  const options = (one: AbortSignal) => ({ signal: one, timeout: requestTimeoutMs });
  const close = async (): Promise<void> => {
    const farewell = AbortSignal.timeout(FAREWELL_TIMEOUT_MS);
    await untilAborted(transport.terminateSession(), farewell).catch(() => undefined);
    await client.close();
  };
  try {
    // The library's own two types differ in how they write an optional property.
    await ask(client.connect(transport as Transport, options(signal)), signal);
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    close,
    async listTools(one) {
      const listPage = (cursor: string | undefined) =>
        ask(
          client.request(
            { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
            ListToolsResultSchema,
            options(one),
          ),
          one,
        );
      return listAll(listPage, new URL(url).hostname);
    },
    callTool: (name, input, one) =>
      ask(
        client.request(
          { method: 'tools/call', params: { name, arguments: { ...input } } },
          CallToolResultSchema,
          options(one),
        ),
        one,
      ),
  };
}

function openTransport(
  http: HttpClient,
  { url, headers }: McpAddress,
  timeoutMs: number,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: createMcpFetch(http, timeoutMs),
    requestInit: { headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])) },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  });
}

async function listAll(
  listPage: (cursor: string | undefined) => Promise<{
    tools: ServerTool[];
    nextCursor?: string | undefined;
  }>,
  host: string,
): Promise<ServerTool[]> {
  const tools: ServerTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await listPage(cursor);
    tools.push(...found.tools.slice(0, MAX_SERVER_TOOLS + 1));
    if (tools.length > MAX_SERVER_TOOLS) {
      throw new McpFailed(
        `${host} offers more than ${MAX_SERVER_TOOLS} tools. A model chooses badly among so many: let the server offer fewer.`,
        { cause: null },
      );
    }
    cursor = found.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new McpFailed(`${host} lists its tools on more than ${MAX_PAGES} pages.`, { cause: null });
}
