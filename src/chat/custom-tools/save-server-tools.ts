import { sql } from 'kysely';
import type { CustomToolId, McpServerId, UserId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { ServerTool } from './list-server-tools.ts';
import { NameAllocator, ownedName } from './tool-names.ts';

export interface ServerOwner {
  workspaceId: WorkspaceId;
  /** The user recorded as creator of new tools. */
  userId: UserId;
  serverId: McpServerId;
  serverName: string;
}

interface StoredTool {
  id: CustomToolId;
  mcp_server_id: McpServerId | null;
  name: string;
  /** Null for the tools of others. */
  server_name: string | null;
}

/**
 * Syncs the stored tools of a server with what it offers now: existing ones keep their id, name and enabled state;
 * missing ones are deleted.
 */
export async function saveServerTools(
  trx: DatabaseTransaction,
  owner: ServerOwner,
  offered: readonly ServerTool[],
): Promise<void> {
  const { workspaceId, serverId } = owner;
  const { rows } = await sql<StoredTool>`
    select id, mcp_server_id, name,
      case when mcp_server_id = ${serverId} then definition->>'name' end as server_name
    from custom_tool
    where workspace_id = ${workspaceId}`.execute(trx);
  const own = new Map(
    rows.flatMap((row) => (row.server_name === null ? [] : [[row.server_name, row] as const])),
  );
  const isOffered = new Set(offered.map(({ name }) => name));
  const gone = [...own].filter(([name]) => !isOffered.has(name)).map(([, row]) => row);
  await sql`delete from custom_tool where workspace_id = ${workspaceId}
    and id = any(${gone.map(({ id }) => id)}::int[])`.execute(trx);
  const names = new NameAllocator();
  const goneIds = new Set(gone.map(({ id }) => id));
  for (const row of rows) if (!goneIds.has(row.id)) names.take(row.name);
  for (const tool of offered) {
    const stored = own.get(tool.name);
    if (stored) await update(trx, workspaceId, stored.id, tool);
    else await insert(trx, owner, names.allocate(ownedName(owner.serverName, tool.name)), tool);
  }
}

async function update(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  id: CustomToolId,
  tool: ServerTool,
): Promise<void> {
  await trx
    .updateTable('custom_tool')
    .set({
      display_name: tool.displayName,
      description: tool.description,
      definition: definitionOf(tool),
      updated_at: sql<Date>`now()`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

async function insert(
  trx: DatabaseTransaction,
  { workspaceId, userId, serverId }: ServerOwner,
  name: string,
  tool: ServerTool,
): Promise<void> {
  await trx
    .insertInto('custom_tool')
    .values({
      workspace_id: workspaceId,
      created_by: userId,
      mcp_server_id: serverId,
      name,
      display_name: tool.displayName,
      description: tool.description,
      definition: definitionOf(tool),
    })
    .execute();
}

function definitionOf({ name, description, inputSchema }: ServerTool): string {
  return JSON.stringify({ name, description, inputSchema });
}
