import { sql } from 'kysely';
import type { CustomToolId, UserId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import {
  type CustomHeader,
  openHeaders,
  openReadableHeaders,
  restoreHeaders,
  sealHeaders,
} from './custom-headers.ts';
import { type OpenApiDocument, readOpenApi } from './read-openapi.ts';
import { readOperations } from './read-operations.ts';
import type { NewTool, ToolChange } from './tool-request.ts';
import { findToolRow, lockTools, reserveId, type ToolRow, toolRowName } from './tool-rows.ts';
import { vetServers } from './vet-servers.ts';

const MAX_TOOLS = 50;
/** Limited because every chat reads all of them. */
const MAX_TOTAL_BYTES = 2_000_000;

export type ToolServices = Pick<ChatServices, 'db' | 'http' | 'secrets'>;

export interface ToolAdmin {
  workspaceId: WorkspaceId;
  userId: UserId;
}

/** @throws Problem BAD_REQUEST for the document or a header, CONFLICT for a duplicate name or above the limits */
export async function createTool(
  { db, http, secrets }: ToolServices,
  { workspaceId, userId }: ToolAdmin,
  request: NewTool,
  signal: AbortSignal,
): Promise<ToolRow> {
  const document = await readUsable(http, request.definition, signal);
  const headers = restoreHeaders(request.custom_headers ?? [], []);
  const passthrough = request.passthrough_auth ?? false;
  refuseTwoAuthorizations(headers, passthrough);
  return db.transaction().execute(async (trx) => {
    await lockTools(trx, workspaceId);
    const made = await reserveId(trx, 'custom_tool');
    const id = made as CustomToolId; // from the table's own sequence
    await assertFreeName(trx, workspaceId, request.name, id);
    await sql`insert into custom_tool (id, workspace_id, created_by, name, display_name, description,
        definition, sealed_headers, passthrough_auth, enabled)
      overriding system value
      values (${id}, ${workspaceId}, ${userId}, ${request.name}, ${request.name},
        ${request.description ?? ''}, ${JSON.stringify(document.sent)},
        ${sealHeaders(secrets, toolRowName(id), headers)}, ${passthrough},
        ${request.enabled ?? true})`.execute(trx);
    await assertRoom(trx, workspaceId);
    return findToolRow(trx, { workspaceId, seesDisabled: true }, id);
  });
}

/**
 * Changes the fields that were sent. Masked headers that are sent back as they were shown keep their values.
 * @throws Problem NOT_FOUND, BAD_REQUEST, CONFLICT
 */
export async function changeTool(
  { db, http, secrets }: ToolServices,
  { workspaceId }: ToolAdmin,
  id: number,
  change: ToolChange,
  signal: AbortSignal,
): Promise<ToolRow> {
  const viewer = { workspaceId, seesDisabled: true };
  refuseChangeOfServerTool(await findToolRow(db, viewer, id), change);
  const document =
    change.definition === undefined ? null : await readUsable(http, change.definition, signal);
  return db.transaction().execute(async (trx) => {
    await lockTools(trx, workspaceId);
    const before = await findToolRow(trx, viewer, id);
    const name = change.name ?? before.name;
    await assertFreeName(trx, workspaceId, name, before.id);
    const row = toolRowName(before.id);
    const passthrough = change.passthrough_auth ?? before.passthrough_auth;
    const isMoved = document !== null && leadsElsewhere(before, document);
    let sealed = before.sealed_headers;
    if (change.custom_headers !== undefined) {
      const stored = isMoved ? [] : (openReadableHeaders(secrets, row, sealed) ?? []);
      const headers = restoreHeaders(change.custom_headers ?? [], stored);
      refuseTwoAuthorizations(headers, passthrough);
      sealed = sealHeaders(secrets, row, headers);
    } else if (isMoved && sealed !== null) {
      throw new Problem(
        'BAD_REQUEST',
        'body.custom_headers: the tool has headers that were entered for other servers than those of this definition. Send the headers anew, or [] for none.',
      );
    } else if (passthrough && !before.passthrough_auth) {
      refuseTwoAuthorizations(openHeaders(secrets, row, sealed), passthrough);
    }
    const isDescribed = change.description !== undefined;
    await sql`update custom_tool set name = ${name},
        display_name = ${change.name ?? before.display_name},
        description = ${isDescribed ? (change.description ?? '') : before.description},
        definition = ${JSON.stringify(document?.sent ?? before.definition)},
        sealed_headers = case when ${sealed !== before.sealed_headers}::boolean
          then ${sealed} else sealed_headers end, passthrough_auth = ${passthrough},
        enabled = ${change.enabled ?? before.enabled}, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${before.id}`.execute(trx);
    if (document) await assertRoom(trx, workspaceId);
    return findToolRow(trx, viewer, before.id);
  });
}

/** @throws Problem NOT_FOUND, BAD_REQUEST for a tool of an MCP server */
export async function deleteTool(
  { db }: Pick<ChatServices, 'db'>,
  { workspaceId }: ToolAdmin,
  id: number,
): Promise<void> {
  const found = await findToolRow(db, { workspaceId, seesDisabled: true }, id);
  if (found.mcp_server_id !== null) {
    throw new Problem(
      'BAD_REQUEST',
      `Tool ${id} is one of the MCP server ${found.mcp_server_id}. Switch it off with PUT /admin/tool/custom/${id} {"enabled": false}, or delete the server with DELETE /admin/mcp/servers/${found.mcp_server_id}.`,
    );
  }
  await db
    .deleteFrom('custom_tool')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', found.id)
    .execute();
}

async function readUsable(
  http: ChatServices['http'],
  definition: unknown,
  signal: AbortSignal,
): Promise<OpenApiDocument> {
  const document = readOpenApi(definition);
  await vetServers(http.guard, readOperations(document.upgraded), signal);
  return document;
}

/** Headers are only sent to the servers that they were entered for. */
function leadsElsewhere({ definition }: ToolRow, document: OpenApiDocument): boolean {
  const before = originsOf(readOpenApi(definition));
  return !originsOf(document).isSubsetOf(before);
}

function originsOf({ upgraded }: OpenApiDocument): Set<string> {
  return new Set(readOperations(upgraded).map(({ baseUrl }) => new URL(baseUrl).origin));
}

function refuseTwoAuthorizations(headers: readonly CustomHeader[], passthrough: boolean): void {
  if (!passthrough || !headers.some(({ key }) => key.toLowerCase() === 'authorization')) return;
  throw new Problem(
    'BAD_REQUEST',
    'body.passthrough_auth: cannot be combined with a custom header Authorization. Remove one of the two.',
  );
}

function refuseChangeOfServerTool(
  { id, mcp_server_id: server }: ToolRow,
  change: ToolChange,
): void {
  if (server === null) return;
  const other = Object.keys(change).find((key) => key !== 'enabled');
  if (other === undefined) return;
  throw new Problem(
    'BAD_REQUEST',
    `body.${other}: tool ${id} is one of the MCP server ${server}, which describes it. Only enabled can be changed.`,
  );
}

async function assertFreeName(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  name: string,
  id: CustomToolId,
): Promise<void> {
  const other = await trx
    .selectFrom('custom_tool')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .where('id', '<>', id)
    .executeTakeFirst();
  if (!other) return;
  throw new Problem(
    'CONFLICT',
    `body.name: the workspace has a tool with the name ${JSON.stringify(name)} already. Choose another name, or change that tool (GET /tool lists the tools).`,
  );
}

/** Includes the row just written. */
async function assertRoom(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<void> {
  const { rows } = await sql<{ tools: number; bytes: number }>`
    select count(*)::int as tools,
      coalesce(sum(octet_length(definition::text)), 0)::int as bytes
    from custom_tool where workspace_id = ${workspaceId} and mcp_server_id is null`.execute(trx);
  const { tools = 0, bytes = 0 } = rows[0] ?? {};
  if (tools <= MAX_TOOLS && bytes <= MAX_TOTAL_BYTES) return;
  throw new Problem(
    'CONFLICT',
    `A workspace may have ${MAX_TOOLS} custom tools with ${MAX_TOTAL_BYTES} bytes of definitions altogether. Delete one that is no longer needed (DELETE /admin/tool/custom/{id}), or shorten definitions.`,
  );
}
