import { z } from 'zod';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { maskHeaders, openReadableHeaders } from './custom-headers.ts';
import { type ToolRow, toolRowName } from './tool-rows.ts';

const headers = z.array(z.object({ key: z.string(), value: z.string() }));

export const toolSnapshotSchema = z
  .object({
    id: z.int(),
    name: z.string().describe('What the model calls it.'),
    description: z.string(),
    definition: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The OpenAPI document; what an MCP server says of its tool; null when built in.'),
    display_name: z.string(),
    in_code_tool_id: z.string().nullable(),
    custom_headers: headers
      .nullable()
      .describe('Masked; null for those who are no administrators.'),
    passthrough_auth: z.boolean(),
    mcp_server_id: z.int().nullable(),
    user_id: z.string().nullable(),
    oauth_config_id: z.int().nullable(),
    oauth_config_name: z.string().nullable(),
    enabled: z.boolean(),
    chat_selectable: z.boolean(),
    agent_creation_selectable: z.boolean(),
    default_enabled: z.boolean(),
  })
  .meta({ id: 'ToolSnapshot' });
export type ToolSnapshot = z.output<typeof toolSnapshotSchema>;

/** @param view `hasModel`: without a model, no chat can use the tool */
export function presentTool(
  secrets: ChatServices['secrets'],
  row: ToolRow,
  view: { isAdmin: boolean; hasModel: boolean },
): ToolSnapshot {
  const stored = view.isAdmin
    ? openReadableHeaders(secrets, toolRowName(row.id), row.sealed_headers)
    : null;
  const isEnabled = row.enabled && row.server_enabled !== false;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    definition: row.definition,
    display_name: row.display_name,
    in_code_tool_id: null,
    custom_headers: stored === null || row.mcp_server_id !== null ? null : maskHeaders(stored),
    passthrough_auth: row.passthrough_auth,
    mcp_server_id: row.mcp_server_id,
    user_id: row.created_by,
    oauth_config_id: null,
    oauth_config_name: null,
    enabled: row.enabled,
    chat_selectable: isEnabled && view.hasModel,
    agent_creation_selectable: isEnabled,
    default_enabled: isEnabled,
  };
}
