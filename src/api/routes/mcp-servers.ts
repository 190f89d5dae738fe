import { z } from 'zod';
import { defineRoute, type Route } from '#src/api/route.ts';
import { findServerRow, listServerRows } from '#src/chat/custom-tools/mcp-server-rows.ts';
import {
  changeServer,
  createServer,
  deleteServer,
  refreshServer,
} from '#src/chat/custom-tools/mcp-servers.ts';
import { presentServer, serverSchema } from '#src/chat/custom-tools/present-server.ts';
import {
  newServerSchema,
  oneRow,
  serverChangeSchema,
} from '#src/chat/custom-tools/tool-request.ts';

const MCP_SERVERS = { tag: 'Tools', family: 'platform', scope: 'admin' } as const;

export const mcpServerRoutes: Route[] = [
  defineRoute({
    ...MCP_SERVERS,
    method: 'GET',
    path: '/admin/mcp/servers',
    summary: 'List the MCP servers whose tools the chats of the workspace may use, oldest first',
    reply: z.object({ mcp_servers: z.array(serverSchema) }),
    async handle({ services, principal }) {
      const found = await listServerRows(services.db, principal.workspaceId);
      return { mcp_servers: found.map((one) => presentServer(services.secrets, one)) };
    },
  }),
  defineRoute({
    ...MCP_SERVERS,
    method: 'POST',
    path: '/admin/mcp/servers',
    summary: 'Add an MCP server (streamable HTTP) with its tools',
    description:
      'The server is called at once; one that does not answer is not kept. Each of its tools becomes a tool of GET /tool.',
    body: newServerSchema,
    reply: serverSchema,
    errors: ['CONFLICT', 'BAD_GATEWAY'],
    async handle({ services, principal, body, signal }) {
      const made = await createServer(services, principal, body, signal);
      return presentServer(services.secrets, made);
    },
  }),
  defineRoute({
    ...MCP_SERVERS,
    method: 'GET',
    path: '/admin/mcp/servers/{id}',
    summary: 'An MCP server and its tools',
    params: oneRow,
    reply: serverSchema,
    handle: async ({ services, principal, params }) =>
      presentServer(
        services.secrets,
        await findServerRow(services.db, principal.workspaceId, params.id),
      ),
  }),
  defineRoute({
    ...MCP_SERVERS,
    method: 'PUT',
    path: '/admin/mcp/servers/{id}',
    summary: 'Change an MCP server',
    description:
      'What is not sent stays. Another address or other headers are tried before they are kept. A masked header that comes back as it was shown keeps its value.',
    params: oneRow,
    body: serverChangeSchema,
    reply: serverSchema,
    errors: ['BAD_GATEWAY'],
    async handle({ services, principal, params, body, signal }) {
      const changed = await changeServer(services, principal, params.id, body, signal);
      return presentServer(services.secrets, changed);
    },
  }),
  defineRoute({
    ...MCP_SERVERS,
    method: 'DELETE',
    path: '/admin/mcp/servers/{id}',
    summary: 'Delete an MCP server and its tools',
    params: oneRow,
    reply: z.null(),
    async handle({ services, principal, params }) {
      await deleteServer(services, principal, params.id);
      return null;
    },
  }),
  defineRoute({
    ...MCP_SERVERS,
    method: 'POST',
    path: '/admin/mcp/servers/{id}/refresh',
    summary: 'Ask an MCP server again which tools it has',
    description: 'Tools that it still has keep their ids.',
    params: oneRow,
    reply: serverSchema,
    errors: ['BAD_GATEWAY'],
    async handle({ services, principal, params, signal }) {
      const refreshed = await refreshServer(services, principal, params.id, signal);
      return presentServer(services.secrets, refreshed);
    },
  }),
];
