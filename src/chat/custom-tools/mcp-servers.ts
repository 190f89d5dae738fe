import { sql } from 'kysely';
import type { McpServerId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import {
  type CustomHeader,
  openReadableHeaders,
  restoreHeaders,
  sealHeaders,
} from './custom-headers.ts';
import type { ToolAdmin, ToolServices } from './custom-tools.ts';
import { listServerTools } from './list-server-tools.ts';
import { findServerRow, type ServerRow, serverRowName } from './mcp-server-rows.ts';
import { saveServerTools } from './save-server-tools.ts';
import type { NewServer, ServerChange } from './tool-request.ts';
import { lockTools, reserveId } from './tool-rows.ts';

/** Each has up to 100 tools. */
const MAX_SERVERS = 20;

type FoundServer = Awaited<ReturnType<typeof findServerRow>>;

/**
 * Calls the server before saving it: an unusable server is not saved.
 * @throws Problem
 */
export async function createServer(
  { db, http, secrets }: ToolServices,
  { workspaceId, userId }: ToolAdmin,
  request: NewServer,
  signal: AbortSignal,
): Promise<FoundServer> {
  const headers = restoreHeaders(request.headers ?? [], []);
  const url = request.server_url;
  const offered = await listServerTools(http, { url, headers }, signal);
  return db.transaction().execute(async (trx) => {
    await lockTools(trx, workspaceId);
    await assertRoom(trx, workspaceId);
    const made = await reserveId(trx, 'mcp_server');
    const id = made as McpServerId; // from the table's own sequence
    await sql`insert into mcp_server (id, workspace_id, created_by, name, description, server_url,
        sealed_headers, enabled)
      overriding system value
      values (${id}, ${workspaceId}, ${userId}, ${request.name}, ${request.description ?? ''},
        ${url}, ${sealHeaders(secrets, serverRowName(id), headers)},
        ${request.enabled ?? true})`.execute(trx);
    const owner = { workspaceId, userId, serverId: id, serverName: request.name };
    await saveServerTools(trx, owner, offered);
    return findServerRow(trx, workspaceId, id);
  });
}

/**
 * Changes the fields that were sent; a new URL or new headers are tried first. Masked headers that are sent back as
 * they were shown keep their values, unless the URL changes: a secret is only sent to the server that it was entered
 * for.
 * @throws Problem
 */
export async function changeServer(
  { db, http, secrets }: ToolServices,
  { workspaceId, userId }: ToolAdmin,
  id: number,
  change: ServerChange,
  signal: AbortSignal,
): Promise<FoundServer> {
  const { server: before } = await findServerRow(db, workspaceId, id);
  const url = change.server_url ?? before.server_url;
  const headers = headersAfter(secrets, before, change);
  const isElsewhere = url !== before.server_url || change.headers !== undefined;
  const offered = isElsewhere
    ? await listServerTools(http, { url, headers: headers ?? [] }, signal)
    : null;
  return db.transaction().execute(async (trx) => {
    await lockTools(trx, workspaceId);
    const { server } = await findServerRow(trx, workspaceId, id);
    const isDescribed = change.description !== undefined;
    const sealed = isElsewhere
      ? sealHeaders(secrets, serverRowName(server.id), headers ?? [])
      : null;
    const name = change.name ?? server.name;
    await sql`update mcp_server set name = ${name},
        description = ${isDescribed ? (change.description ?? '') : server.description},
        server_url = ${url},
        sealed_headers = case when ${isElsewhere}::boolean then ${sealed} else sealed_headers end,
        enabled = ${change.enabled ?? server.enabled}, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${server.id}`.execute(trx);
    if (offered) {
      const owner = { workspaceId, userId, serverId: server.id, serverName: name };
      await saveServerTools(trx, owner, offered);
    }
    return findServerRow(trx, workspaceId, server.id);
  });
}

/**
 * Lists the server's tools again.
 * @throws Problem
 */
export async function refreshServer(
  { db, http, secrets }: ToolServices,
  { workspaceId, userId }: ToolAdmin,
  id: number,
  signal: AbortSignal,
): Promise<FoundServer> {
  const { server: before } = await findServerRow(db, workspaceId, id);
  const headers = openReadableHeaders(secrets, serverRowName(before.id), before.sealed_headers);
  if (headers === null) throw unreadable(before);
  const offered = await listServerTools(http, { url: before.server_url, headers }, signal);
  return db.transaction().execute(async (trx) => {
    await lockTools(trx, workspaceId);
    const { server } = await findServerRow(trx, workspaceId, id);
    const owner = { workspaceId, userId, serverId: server.id, serverName: server.name };
    await saveServerTools(trx, owner, offered);
    await trx
      .updateTable('mcp_server')
      .set({ updated_at: sql<Date>`now()` })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', server.id)
      .execute();
    return findServerRow(trx, workspaceId, server.id);
  });
}

/**
 * With its tools.
 * @throws Problem NOT_FOUND
 */
export async function deleteServer(
  { db }: Pick<ToolServices, 'db'>,
  { workspaceId }: ToolAdmin,
  id: number,
): Promise<void> {
  const { server } = await findServerRow(db, workspaceId, id);
  await db
    .deleteFrom('mcp_server')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', server.id)
    .execute();
}

function headersAfter(
  secrets: ToolServices['secrets'],
  before: ServerRow,
  change: ServerChange,
): CustomHeader[] | null {
  const row = serverRowName(before.id);
  const isMoved =
    change.server_url !== undefined &&
    URL.parse(change.server_url)?.origin !== URL.parse(before.server_url)?.origin;
  if (isMoved && change.headers === undefined && before.sealed_headers !== null) {
    throw new Problem(
      'BAD_REQUEST',
      'body.headers: the server has headers that were entered for another address. Send the headers of the new one, or [] for none.',
    );
  }
  if (change.headers === undefined) {
    if (change.server_url === undefined) return null;
    const stored = openReadableHeaders(secrets, row, before.sealed_headers);
    if (stored === null) throw unreadable(before);
    return stored;
  }
  const stored = isMoved ? [] : (openReadableHeaders(secrets, row, before.sealed_headers) ?? []);
  return restoreHeaders(change.headers ?? [], stored);
}

function unreadable({ id }: ServerRow): Problem {
  return new Problem(
    'BAD_REQUEST',
    `The headers of the MCP server ${id} cannot be read with the present ENCRYPTION_KEY. PUT /admin/mcp/servers/${id} with the headers enters them again.`,
  );
}

async function assertRoom(
  trx: DatabaseTransaction,
  workspaceId: ToolAdmin['workspaceId'],
): Promise<void> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from mcp_server
    where workspace_id = ${workspaceId}`.execute(trx);
  if ((rows[0]?.n ?? 0) < MAX_SERVERS) return;
  throw new Problem(
    'CONFLICT',
    `The workspace has ${MAX_SERVERS} MCP servers, which is the limit. Delete one that is no longer needed (DELETE /admin/mcp/servers/{id}).`,
  );
}
