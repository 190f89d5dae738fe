import { sql } from 'kysely';
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

const ROW = sql`id, created_by, name, description, server_url, sealed_headers, enabled,
  created_at, updated_at`;

/** Oldest first, with their tools. */
export async function listServerRows(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<{ server: ServerRow; tools: ServerToolRow[] }[]> {
  const { rows } = await sql<ServerRow>`select ${ROW} from mcp_server
    where workspace_id = ${workspaceId} order by id`.execute(db);
  const { rows: tools } = await sql<ServerToolRow & { mcp_server_id: McpServerId }>`
    select id, mcp_server_id, name, display_name, description, enabled from custom_tool
    where workspace_id = ${workspaceId} and mcp_server_id is not null order by id`.execute(db);
  const byServer = Map.groupBy(tools, (tool) => tool.mcp_server_id);
  return rows.map((server) => ({ server, tools: byServer.get(server.id) ?? [] }));
}

/** @throws Problem NOT_FOUND */
export async function findServerRow(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  id: number,
): Promise<{ server: ServerRow; tools: ServerToolRow[] }> {
  const { rows } = await sql<ServerRow>`select ${ROW} from mcp_server
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db);
  const [server] = rows;
  if (!server) throw unknownServer(id);
  const { rows: tools } = await sql<ServerToolRow>`
    select id, name, display_name, description, enabled from custom_tool
    where workspace_id = ${workspaceId} and mcp_server_id = ${server.id} order by id`.execute(db);
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
