import type { CustomToolId, McpServerId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

export interface ServerToolRow {
  id: CustomToolId;
  name: string;
  display_name: string;
  description: string;
  enabled: boolean;
}

export interface ServerRow {
  id: McpServerId;
  created_by: UserId | null;
  name: string;
  description: string;
  server_url: string;
  sealed_headers: string | null;
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
}

const ROW = [
  'id',
  'created_by',
  'name',
  'description',
  'server_url',
  'sealed_headers',
  'enabled',
  'created_at',
  'updated_at',
] as const;

const TOOL = ['id', 'name', 'display_name', 'description', 'enabled'] as const;

/** Oldest first, with their tools. */
export async function listServerRows(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ server: ServerRow; tools: ServerToolRow[] }[]> {
  const servers = await db
    .selectFrom('mcp_server')
    .select(ROW)
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute();
  const tools = await db
    .selectFrom('custom_tool')
    .select([...TOOL, 'mcp_server_id'])
    .where('workspace_id', '=', workspaceId)
    .where('mcp_server_id', 'is not', null)
    .orderBy('id')
    .execute();
  const byServer = Map.groupBy(tools, (tool) => tool.mcp_server_id);
  return servers.map((server) => ({ server, tools: byServer.get(server.id) ?? [] }));
}

/** @throws Problem NOT_FOUND */
export async function findServerRow(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  id: number,
): Promise<{ server: ServerRow; tools: ServerToolRow[] }> {
  const server = await db
    .selectFrom('mcp_server')
    .select(ROW)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id as McpServerId) // the row shows whether it is one
    .executeTakeFirst();
  if (!server) throw unknownServer(id);
  const tools = await db
    .selectFrom('custom_tool')
    .select(TOOL)
    .where('workspace_id', '=', workspaceId)
    .where('mcp_server_id', '=', server.id)
    .orderBy('id')
    .execute();
  return { server, tools };
}

/** The error for an id that does not exist in this workspace. */
function unknownServer(id: number): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no MCP server with the id ${id}. GET /admin/mcp/servers lists the servers.`,
  );
}

export function serverRowName(id: McpServerId): string {
  return `mcp_server:${id}`;
}
