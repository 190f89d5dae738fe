import { z } from 'zod';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { maskHeaders, openReadableHeaders } from './custom-headers.ts';
import { type ServerRow, serverRowName, type ServerToolRow } from './mcp-server-rows.ts';

export const serverSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    server_url: z.string(),
    headers: z
      .array(z.object({ key: z.string(), value: z.string() }))
      .nullable()
      .describe('Masked; null when they cannot be read with the present key.'),
    enabled: z.boolean(),
    user_id: z.string().nullable(),
    tools: z.array(
      z.object({
        id: z.int(),
        name: z.string().describe('What the model calls it.'),
        display_name: z.string(),
        description: z.string(),
        enabled: z.boolean(),
      }),
    ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'McpServer' });

export function presentServer(
  secrets: ChatServices['secrets'],
  { server, tools }: { server: ServerRow; tools: readonly ServerToolRow[] },
): z.output<typeof serverSchema> {
  const stored = openReadableHeaders(secrets, serverRowName(server.id), server.sealed_headers);
  return {
    id: server.id,
    name: server.name,
    description: server.description,
    server_url: server.server_url,
    headers: stored && maskHeaders(stored),
    enabled: server.enabled,
    user_id: server.created_by,
    tools: tools.map(({ id, name, display_name, description, enabled }) => ({
      id,
      name,
      display_name,
      description,
      enabled,
    })),
    created_at: server.created_at.toISOString(),
    updated_at: server.updated_at.toISOString(),
  };
}
