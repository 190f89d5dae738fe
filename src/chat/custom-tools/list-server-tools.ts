import { Problem } from '#src/platform/errors.ts';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { OutboundError } from '#src/platform/outbound.ts';
import { callableUrl } from '#src/platform/outbound-hop.ts';
import { vetHost } from '#src/platform/vet-host.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { CustomHeader } from './custom-headers.ts';
import { cutText, isStorableJson, type JsonObject } from './json-object.ts';
import { McpFailed } from './mcp-failed.ts';
import { schemaForModel } from './tool-schema.ts';
import { unreachable } from './vet-servers.ts';

/** Short, because someone is waiting. */
const TIMEOUT_MS = 10_000;
const MAX_NAME_CHARACTERS = 200;
const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_SCHEMA_LEVELS = 60;

/** What a server offers, sanitized for storage and display. */
export interface ServerTool {
  /** The server's own name for it. */
  name: string;
  displayName: string;
  description: string;
  /** Without references. */
  inputSchema: JsonObject;
}

/**
 * Calls a server and lists its tools.
 * @throws Problem BAD_REQUEST for its URL or headers, BAD_GATEWAY when it fails
 */
export async function listServerTools(
  http: ChatServices['http'],
  server: { url: string; headers: readonly CustomHeader[] },
  signal: AbortSignal,
): Promise<ServerTool[]> {
  const url = await vetServerUrl(http, server.url, signal);
  try {
    const { openMcpSession } = await import('./mcp-session.ts');
    const session = await openMcpSession(
      http,
      { url, headers: server.headers },
      signal,
      TIMEOUT_MS,
    );
    try {
      const tools = (await session.listTools(signal)).flatMap(readTool);
      return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
    } finally {
      await session.close();
    }
  } catch (error) {
    if (!(error instanceof McpFailed)) throw error;
    const isCallersFault = error.isRefused || (error.status !== null && error.status < 500);
    throw new Problem(
      isCallersFault ? 'BAD_REQUEST' : 'BAD_GATEWAY',
      `body.server_url: the MCP server could not be used. ${error.message}`,
      { cause: error },
    );
  }
}

async function vetServerUrl(
  http: ChatServices['http'],
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null;
  if (url === null) {
    throw wrongUrl(
      'must be the address of a streamable HTTP endpoint, such as https://example.com/mcp',
    );
  }
  try {
    callableUrl(new URL(url));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw wrongUrl(`cannot be called. ${error.message}`.replace(/\.$/, ''));
  }
  if ((await vetHost(http.guard, url.hostname, signal)) === 'refused') {
    throw unreachable('server_url', url.hostname);
  }
  return url.href;
}

function wrongUrl(sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.server_url: ${sentence}.`);
}

interface OfferedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: JsonObject;
}

/** Empty if the tool has no name by which it could be called. */
function readTool({ name, title, description, inputSchema }: OfferedTool): ServerTool[] {
  if (name === '' || name.length > MAX_NAME_CHARACTERS || clean(name) !== name) return [];
  return [
    {
      name,
      displayName: cutText(clean(title ?? name).trim() || name, MAX_NAME_CHARACTERS),
      description: cutText(clean(description ?? '').trim(), MAX_DESCRIPTION_CHARACTERS),
      inputSchema: readSchema(inputSchema),
    },
  ];
}

/** A schema that accepts any arguments, if the real one cannot be stored. */
function readSchema(schema: JsonObject): JsonObject {
  const any = { type: 'object' };
  if (isNestedDeeper(schema, MAX_SCHEMA_LEVELS)) return any;
  const inlined = schemaForModel(schema, schema);
  return isStorableJson(JSON.stringify(inlined)) ? inlined : any;
}

/** In a form that can be stored. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
