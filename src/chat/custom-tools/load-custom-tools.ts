import { type Tool, ToolFailed } from '#src/chat/tools/tool.ts';
import type { McpServerId, UserId, WorkspaceId } from '#src/ids.ts';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import { Problem } from '#src/platform/errors.ts';
import { untilAborted } from '#src/platform/deadline.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { callableHeaders, type CustomHeader, openHeaders, secretsOf } from './custom-headers.ts';
import { readLoadableRows, type LoadableRow } from './loadable-rows.ts';
import type { McpSession } from './mcp-session.ts';
import { createMcpTool } from './mcp-tool.ts';
import { createOperationTool } from './operation-tool.ts';
import { readOpenApi } from './read-openapi.ts';
import { readOperations } from './read-operations.ts';
import { NameAllocator, ownedName } from './tool-names.ts';

/** Model APIs accept 128 functions, and some are built in. */
const MAX_TOOLS = 100;
/** Names, descriptions and schemas together: a model reads all of them at every call. */
const MAX_CHARACTERS = 120_000;

type LoadServices = Pick<ChatServices, 'db' | 'http' | 'secrets' | 'files' | 'log'>;

export interface ToolCaller {
  workspaceId: WorkspaceId;
  userId: UserId;
  /** The caller's own `Authorization`, for tools that pass it on. */
  authorization: string | null;
  /** For MCP servers, in addition to those set by an administrator. */
  mcpHeaders: Record<string, string> | null;
}

/**
 * The tools that administrators have added to a workspace, oldest first. All operations of one OpenAPI document have
 * the document's id. An MCP server is first called when one of its tools is.
 * @param ids row ids; null for all enabled tools
 */
export async function loadCustomTools(
  services: LoadServices,
  caller: ToolCaller,
  ids: readonly number[] | null,
): Promise<{ tools: Tool[]; close(): Promise<void> }> {
  const rows = await readLoadableRows(services.db, caller.workspaceId, ids);
  const servers = openServers(services, caller);
  const names = new NameAllocator();
  const tools: Tool[] = [];
  let characters = 0;
  for (const row of rows) {
    for (const tool of toolsOf(services, { caller, row, servers, names })) {
      const { name, description, parameters } = tool;
      characters += name.length + description.length + JSON.stringify(parameters).length;
      if (tools.length === MAX_TOOLS || characters > MAX_CHARACTERS) {
        return { tools, close: servers.close };
      }
      tools.push(tool);
    }
  }
  return { tools, close: servers.close };
}

interface RowToLoad {
  caller: ToolCaller;
  row: LoadableRow;
  servers: Servers;
  names: NameAllocator;
}

function* toolsOf(services: LoadServices, load: RowToLoad): Generator<Tool> {
  const { row, caller, servers, names } = load;
  const owner = { workspaceId: caller.workspaceId, userId: caller.userId, toolId: row.id };
  if (row.mcp_server_id !== null) {
    const server = servers.of(row);
    yield createMcpTool(
      services,
      { ...owner, ...server },
      row.definition,
      names.allocate(row.name),
    );
    return;
  }
  const headers = (): CustomHeader[] => [
    ...(row.passthrough_auth && caller.authorization !== null
      ? [{ key: 'authorization', value: caller.authorization }]
      : []),
    ...openOrFail(services.secrets, `custom_tool:${row.id}`, row.sealed_headers),
  ];
  for (const operation of operationsOf(row)) {
    const name = names.allocate(operation.name, ownedName(row.name, operation.name));
    yield createOperationTool(services, { ...owner, headers }, operation, name);
  }
}

/** Empty when the document is no longer valid: it was when it was saved, by the rules of that time. */
function operationsOf({ definition }: LoadableRow) {
  try {
    return readOperations(readOpenApi(definition).upgraded);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

interface Servers {
  of(row: LoadableRow): {
    session(signal: AbortSignal): Promise<McpSession>;
    secrets(): readonly string[];
  };
  close: () => Promise<void>;
}

/** One session per server, opened by the first call. */
function openServers({ http, secrets }: LoadServices, caller: ToolCaller): Servers {
  const sessions = new Map<McpServerId, Promise<McpSession>>();
  const closing = new AbortController();
  const forwarded = callableHeaders(caller.mcpHeaders ?? {});
  const headersOf = (row: LoadableRow): CustomHeader[] => {
    const name = `mcp_server:${row.mcp_server_id}`;
    const own = openOrFail(secrets, name, row.server_sealed_headers);
    const isOverridden = ({ key }: CustomHeader): boolean =>
      forwarded.some((one) => one.key.toLowerCase() === key.toLowerCase());
    return [...own.filter((header) => !isOverridden(header)), ...forwarded];
  };
  return {
    of: (row) => ({
      secrets: () => secretsOf(headersOf(row)),
      async session(signal) {
        const { mcp_server_id: id, server_url: url } = row;
        if (id === null || url === null) throw new Error('The tool belongs to no MCP server.');
        const open = (): Promise<McpSession> => {
          const made = import('./mcp-session.ts').then(({ openMcpSession }) =>
            openMcpSession(http, { url, headers: headersOf(row) }, closing.signal),
          );
          sessions.set(id, made);
          // Lets the next call try again.
          made.catch(() => sessions.delete(id));
          return made;
        };
        return untilAborted(sessions.get(id) ?? open(), signal);
      },
    }),
    async close() {
      closing.abort();
      const opened = await Promise.allSettled(sessions.values());
      const alive = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(alive.map((session) => session.close()));
    },
  };
}

function openOrFail(
  secrets: ChatServices['secrets'],
  rowName: string,
  sealed: string | null,
): CustomHeader[] {
  try {
    return openHeaders(secrets, rowName, sealed);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new ToolFailed(
      'The headers of this tool cannot be read with the present key. An administrator must enter them again.',
      { cause: error },
    );
  }
}
