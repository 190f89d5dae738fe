import { sql } from 'kysely';
import type { CustomToolId, McpServerId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { JsonObject } from './json-object.ts';

/** More than a workspace can have. */
const MAX_ROWS = 2_000;

export interface LoadableRow {
  id: CustomToolId;
  name: string;
  definition: JsonObject;
  sealed_headers: string | null;
  passthrough_auth: boolean;
  mcp_server_id: McpServerId | null;
  server_url: string | null;
  server_sealed_headers: string | null;
}

/** Enabled tools whose server, if any, is enabled too; oldest first. */
export async function readLoadableRows(
  db: Database,
  workspaceId: WorkspaceId,
  ids: readonly number[] | null,
): Promise<LoadableRow[]> {
  if (ids?.length === 0) return [];
  // Larger numbers are not ids and could not be compared with one.
  const wanted = ids?.filter((id) => Number.isInteger(id) && id > 0 && id < 2 ** 31);
  const { rows } = await sql<LoadableRow>`
    select t.id, t.name, t.definition, t.sealed_headers, t.passthrough_auth, t.mcp_server_id,
      s.server_url, s.sealed_headers as server_sealed_headers
    from custom_tool t
    left join mcp_server s on s.id = t.mcp_server_id and s.workspace_id = t.workspace_id
    where t.workspace_id = ${workspaceId} and t.enabled
      and (t.mcp_server_id is null or s.enabled)
      ${wanted ? sql`and t.id = any(${wanted}::int[])` : sql``}
    order by t.id limit ${MAX_ROWS}`.execute(db);
  return rows;
}
