import type { PacketBody } from '#src/chat/wire/packets.ts';
import { type Tool, ToolFailed } from '#src/chat/tools/tool.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { checkArguments } from './check-arguments.ts';
import { cutText, isObject, type JsonObject } from './json-object.ts';
import { readMcpResult } from './mcp-result.ts';
import { McpFailed } from './mcp-failed.ts';
import type { CallToolResult, McpSession } from './mcp-session.ts';
import { showCustomFailure } from './show-failure.ts';
import { type CustomToolDelta, type FileOwner, showAnswer } from './show-answer.ts';

const MAX_DESCRIPTION_CHARACTERS = 1_000;

export interface McpToolOwner extends FileOwner {
  toolId: number;
  /**
   * Connects on first use.
   * @throws McpFailed, ToolFailed
   */
  session(signal: AbortSignal): Promise<McpSession>;
  secrets(): readonly string[];
}

/**
 * One tool of an MCP server.
 * @param definition as stored: `{name, description, inputSchema}`
 */
export function createMcpTool(
  { files }: Pick<ChatServices, 'files'>,
  owner: McpToolOwner,
  definition: JsonObject,
  name: string,
): Tool {
  const serverName = String(definition['name']);
  const said = definition['description'];
  const description = typeof said === 'string' && said !== '' ? said : serverName;
  const schema = definition['inputSchema'];
  const parameters = isObject(schema) ? schema : { type: 'object' };
  const tool = { name, id: owner.toolId };
  return {
    id: owner.toolId,
    name,
    description: cutText(description, MAX_DESCRIPTION_CHARACTERS),
    parameters,
    mergedBy: null,
    isLast: false,
    showFailure: (failure) => showCustomFailure(tool, failure),
    async *run(input, { signal }) {
      yield { type: 'custom_tool_start', tool_name: name, tool_id: tool.id };
      const checked = checkArguments(parameters, input);
      const result = await callServer(owner, serverName, checked, signal);
      if (result instanceof McpFailed) {
        yield failurePacket(tool, result);
        return { text: `The call failed: ${result.message}`, documents: [] };
      }
      const texts: string[] = [];
      for (const answer of readMcpResult(result, owner.secrets())) {
        const { packet, text } = await showAnswer(files, owner, tool, answer);
        yield asMcp(packet);
        texts.push(text);
      }
      const text = texts.join('\n') || '[The tool answered without content.]';
      const isError = result.isError === true;
      return { text: isError ? `The tool reported an error: ${text}` : text, documents: [] };
    },
  };
}

/** @returns the failure if the server answered with an HTTP status */
async function callServer(
  owner: McpToolOwner,
  toolName: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<CallToolResult | McpFailed> {
  try {
    const session = await owner.session(signal);
    return await session.callTool(toolName, input, signal);
  } catch (error) {
    if (!(error instanceof McpFailed)) throw error;
    if (error.status !== null) return error;
    throw new ToolFailed(error.message, { cause: error });
  }
}

/** Clients expect the text of an MCP server as a JSON string. */
function asMcp(packet: CustomToolDelta): CustomToolDelta {
  return packet.response_type === 'text' ? { ...packet, response_type: 'json' } : packet;
}

function failurePacket(tool: { name: string; id: number }, failure: McpFailed): PacketBody {
  const status = failure.status ?? 0;
  return {
    type: 'custom_tool_delta',
    tool_name: tool.name,
    tool_id: tool.id,
    response_type: 'json',
    data: failure.message,
    file_ids: null,
    error: {
      is_auth_error: status === 401 || status === 403,
      status_code: status,
      message: failure.message,
    },
  };
}
