import { sql } from 'kysely';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { CustomToolId, McpServerId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { JsonObject } from './json-object.ts';

export interface ToolRow {
  id: CustomToolId;
  mcp_server_id: McpServerId | null;
  created_by: UserId | null;
  name: string;
  display_name: string;
  description: string;
  definition: JsonObject;
  sealed_headers: string | null;
  passthrough_auth: boolean;
  enabled: boolean;
  /** Null for a tool without a server. */
  server_enabled: boolean | null;
}

const ROW = sql`t.id, t.mcp_server_id, t.created_by, t.name, t.display_name, t.description,
  t.definition, t.sealed_headers, t.passthrough_auth, t.enabled, s.enabled as server_enabled`;
const SOURCE = sql`custom_tool t
  left join mcp_server s on s.id = t.mcp_server_id and s.workspace_id = t.workspace_id`;

/** The tools that a caller may see: administrators all of the workspace, others only enabled ones. */
export interface ToolViewer {
  workspaceId: WorkspaceId;
  seesDisabled: boolean;
}

/** Oldest first. */
export async function listToolRows(db: Database, viewer: ToolViewer): Promise<ToolRow[]> {
  const { rows } = await sql<ToolRow>`select ${ROW} from ${SOURCE}
    where ${isVisibleTo(viewer)} order by t.id`.execute(db);
  return rows;
}

/** @throws Problem NOT_FOUND */
export async function findToolRow(
  db: Database | DatabaseTransaction,
  viewer: ToolViewer,
  id: number,
): Promise<ToolRow> {
  const { rows } = await sql<ToolRow>`select ${ROW} from ${SOURCE}
    where ${isVisibleTo(viewer)} and t.id = ${id}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownTool(id);
  return found;
}

function isVisibleTo({ workspaceId, seesDisabled }: ToolViewer) {
  const everything = sql`t.workspace_id = ${workspaceId}`;
  return seesDisabled ? everything : sql`${everything} and t.enabled and s.enabled is not false`;
}

/** The error for an id that does not exist in this workspace. */
export function unknownTool(id: number): Problem {
  return new Problem('NOT_FOUND', `There is no tool with the id ${id}. GET /tool lists the tools.`);
}

export function toolRowName(id: CustomToolId): string {
  return `custom_tool:${id}`;
}

/** A secret is sealed for its row's id, so the id comes first. */
export async function reserveId(
  db: Database | DatabaseTransaction,
  table: 'custom_tool' | 'mcp_server',
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id'))::int as id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`The sequence of ${table} gave no id.`);
  return row.id;
}

/** Serializes concurrent changes to the tools of one workspace. */
export async function lockTools(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<void> {
  await lockWorkspace(trx, workspaceId);
}
