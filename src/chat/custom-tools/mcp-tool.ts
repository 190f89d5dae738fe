import type { PacketBody } from '#src/chat/packets.ts';
import { type Tool, type ToolContext, ToolFailed, type ToolResult } from '#src/chat/tools/tool.ts';
import type { Services } from '#src/services.ts';
import { checkArguments } from './check-arguments.ts';
import { cutText, isObject, type JsonObject } from './json-object.ts';
import { readMcpResult } from './mcp-result.ts';
import { McpFailed } from './mcp-failed.ts';
import type { CallToolResult, McpSession } from './mcp-session.ts';
import { type FileOwner, showAnswer } from './show-answer.ts';

const MAX_DESCRIPTION_CHARACTERS = 1_000;

export interface McpToolOwner extends FileOwner {
  toolId: number;
  /** Connects when it is first asked. @throws McpFailed, ToolFailed */
  session(signal: AbortSignal): Promise<McpSession>;
  secrets(): readonly string[];
}

/**
 * One tool of an MCP server.
 * @param definition as it was stored: `{name, description, inputSchema}`
 */
export function createMcpTool(
  { files }: Pick<Services, 'files'>,
  owner: McpToolOwner,
  definition: JsonObject,
  name: string,
): Tool {
  const id = owner.toolId;
  const serverName = String(definition['name']);
  const description = String(definition['description'] || serverName);
  const parameters = isObject(definition['inputSchema'])
    ? definition['inputSchema']
    : { type: 'object' };

  async function* run(
    input: unknown,
    { signal }: ToolContext,
  ): AsyncGenerator<PacketBody, ToolResult> {
    yield { type: 'custom_tool_start', tool_name: name, tool_id: id };
    const checked = checkArguments(parameters, input);
    const result = await callServer(checked, signal);
    if (result instanceof McpFailed) {
      yield failurePacket(result);
      return { text: `The call failed: ${result.message}`, documents: [] };
    }
    const texts: string[] = [];
    for (const answer of readMcpResult(result, owner.secrets())) {
      const { packet, text } = await showAnswer(files, owner, { name, id }, answer);
      yield packet;
      texts.push(text);
    }
    const text = texts.join('\n') || '[The tool answered without content.]';
    const isError = result.isError === true;
    return { text: isError ? `The tool reported an error: ${text}` : text, documents: [] };
  }

  async function callServer(
    input: JsonObject,
    signal: AbortSignal,
  ): Promise<CallToolResult | McpFailed> {
    try {
      const session = await owner.session(signal);
      return await session.callTool(serverName, input, signal);
    } catch (error) {
      if (!(error instanceof McpFailed)) throw error;
      if (error.status !== null) return error;
      throw new ToolFailed(error.message, { cause: error });
    }
  }

  function failurePacket(failure: McpFailed): PacketBody {
    const status = failure.status ?? 0;
    return {
      type: 'custom_tool_delta',
      tool_name: name,
      tool_id: id,
      response_type: 'text',
      data: failure.message,
      file_ids: null,
      error: {
        is_auth_error: status === 401 || status === 403,
        status_code: status,
        message: failure.message,
      },
    };
  }

  return {
    id,
    name,
    description: cutText(description, MAX_DESCRIPTION_CHARACTERS),
    parameters,
    mergedBy: null,
    isLast: false,
    run,
  };
}
