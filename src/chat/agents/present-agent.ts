import { nameDocumentSets } from '#src/connectors/administration/document-sets.ts';
import { z } from 'zod';

import { listTools } from '#src/chat/custom-tools/list-tools.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { Role } from '#src/tables/accounts.ts';
import type { AgentRow } from './agents.ts';
import { DEFAULT_AGENT } from './find-agent.ts';

const named = z.object({ id: z.int(), name: z.string() });
const none = z.array(z.unknown()).describe('Always empty.');

/** An agent in a list: everything but its instructions. */
export const agentSummarySchema = z
  .object({
    id: z.int().describe('0 is the default agent.'),
    name: z.string(),
    description: z.string(),
    tools: z
      .array(named.extend({ display_name: z.string(), in_code_tool_id: z.string().nullable() }))
      .describe('Of those it may use, the ones that this install has.'),
    tool_ids: z.array(z.int()).nullable().describe('Null: all tools, later ones included.'),
    document_sets: z
      .array(named)
      .describe('None: all documents. An id of 0: there is no set of this name any more.'),
    llm_model_provider_override: z.string().nullable(),
    llm_model_version_override: z.string().nullable(),
    model_provider: z.string().nullable(),
    model_version: z.string().nullable(),
    temperature: z.number().nullable(),
    starter_messages: z.array(z.object({ name: z.string(), message: z.string() })),
    is_public: z.boolean(),
    is_visible: z.boolean(),
    is_listed: z.boolean(),
    builtin_persona: z.boolean(),
    is_default_persona: z.boolean(),
    is_featured: z.boolean(),
    display_priority: z.int().nullable(),
    owner: z.object({ id: z.string() }).nullable().describe('Who made it.'),
    users: none,
    groups: none,
    labels: none,
    icon_name: z.string().nullable(),
    uploaded_image_id: z.string().nullable(),
    num_chunks: z.number().nullable(),
    created_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AgentSummary' });

export const agentSchema = agentSummarySchema
  .extend({
    system_prompt: z.string(),
    instructions: z.string().describe('The same as system_prompt.'),
    task_prompt: z.string().describe('Always empty.'),
  })
  .meta({ id: 'Agent' });

export type AgentSummary = z.input<typeof agentSummarySchema>;

type Shown = Omit<AgentRow, 'id' | 'workspace_id' | 'deleted_at' | 'created_at' | 'updated_at'> & {
  id: number;
  created_at: Date | null;
  updated_at: Date | null;
};

/** The default agent in the form of a row. */
export const DEFAULT_ROW: Shown = {
  id: DEFAULT_AGENT.id,
  created_by: null,
  name: DEFAULT_AGENT.name,
  description: 'Answers from all documents, with all tools.',
  instructions: DEFAULT_AGENT.instructions,
  is_public: true,
  tool_ids: null,
  document_sets: [],
  model_provider: null,
  model_version: null,
  temperature: null,
  starter_messages: [],
  created_at: null,
  updated_at: null,
};

/** The user who reads. */
interface Onlooker {
  workspaceId: WorkspaceId;
  role: Role;
}
type PresentServices = Pick<ChatServices, 'db' | 'secrets' | 'config'>;

/** The agents as the API returns them, in the same order; looks up the names of what they refer to. */
export async function presentAgents(
  services: PresentServices,
  onlooker: Onlooker,
  rows: readonly Shown[],
): Promise<AgentSummary[]> {
  const names = rows.flatMap((row) => row.document_sets);
  const [tools, sets] = await Promise.all([
    listTools(services, onlooker),
    listSets(services.db, onlooker.workspaceId, names),
  ]);
  return rows.map((row) => presentSummary(row, tools, sets));
}

export async function presentAgent(
  services: PresentServices,
  onlooker: Onlooker,
  row: Shown,
): Promise<z.input<typeof agentSchema>> {
  const [summary] = await presentAgents(services, onlooker, [row]);
  if (!summary) throw new Error('No agent was presented.');
  return {
    ...summary,
    system_prompt: row.instructions,
    instructions: row.instructions,
    task_prompt: '',
  };
}

async function listSets(
  db: Database,
  workspaceId: WorkspaceId,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const sets = await nameDocumentSets(db, workspaceId);
  return new Map(sets.map(({ id, name }) => [name, id]));
}

function presentSummary(
  row: Shown,
  tools: Awaited<ReturnType<typeof listTools>>,
  sets: ReadonlyMap<string, number>,
): AgentSummary {
  const isDefault = row.id === DEFAULT_AGENT.id;
  const { tool_ids: toolIds } = row;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    tools: tools
      .filter(({ id, enabled }) => enabled && (toolIds === null || toolIds.includes(id)))
      .map(({ id, name, display_name, in_code_tool_id }) => ({
        id,
        name,
        display_name,
        in_code_tool_id,
      })),
    tool_ids: toolIds,
    document_sets: row.document_sets.map((name) => ({ id: sets.get(name) ?? 0, name })),
    llm_model_provider_override: row.model_provider,
    llm_model_version_override: row.model_version,
    model_provider: row.model_provider,
    model_version: row.model_version,
    temperature: row.temperature,
    starter_messages: row.starter_messages,
    is_public: row.is_public,
    is_visible: true,
    is_listed: true,
    builtin_persona: isDefault,
    is_default_persona: isDefault,
    is_featured: isDefault,
    display_priority: null,
    owner: row.created_by === null ? null : { id: row.created_by },
    users: [],
    groups: [],
    labels: [],
    icon_name: null,
    uploaded_image_id: null,
    num_chunks: null,
    created_at: row.created_at?.toISOString() ?? null,
    updated_at: row.updated_at?.toISOString() ?? null,
  };
}
