import { presentTool, type ToolSnapshot } from './present-tool.ts';
import { findToolRow, listToolRows, unknownTool } from './tool-rows.ts';
import { TOOL_IDS } from '#src/chat/tools/tool.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { Config } from '#src/platform/config.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { Role } from '#src/tables/accounts.ts';

type ListServices = Pick<ChatServices, 'db' | 'secrets' | 'config'>;
interface Viewer {
  workspaceId: WorkspaceId;
  role: Role;
}

interface BuiltInTool {
  id: number;
  codeId: string;
  name: string;
  displayName: string;
  description: string;
  needsModel: boolean;
  isSelectable: boolean;
  isThere(config: Config): boolean;
}

const BUILT_IN: readonly BuiltInTool[] = [
  {
    id: TOOL_IDS.internalSearch,
    codeId: 'SearchTool',
    name: 'internal_search',
    displayName: 'Internal Search',
    description: 'Searches the documents of the workspace.',
    needsModel: false,
    isSelectable: true,
    isThere: () => true,
  },
  {
    id: TOOL_IDS.webSearch,
    codeId: 'WebSearchTool',
    name: 'web_search',
    displayName: 'Web Search',
    description: 'Searches the web.',
    needsModel: true,
    isSelectable: true,
    isThere: ({ LEAD_SEARCH_PROVIDER: provider }) => provider !== 'index',
  },
  {
    id: TOOL_IDS.openUrl,
    codeId: 'OpenURLTool',
    name: 'open_url',
    displayName: 'Open URL',
    description: 'Reads web pages.',
    needsModel: true,
    isSelectable: false,
    isThere: () => true,
  },
  {
    id: TOOL_IDS.imageGeneration,
    codeId: 'ImageGenerationTool',
    name: 'generate_image',
    displayName: 'Image Generation',
    description: 'Makes images from a description.',
    needsModel: true,
    isSelectable: true,
    isThere: ({ IMAGE_MODEL: model }) => model !== undefined,
  },
  {
    id: TOOL_IDS.python,
    codeId: 'PythonTool',
    name: 'python',
    displayName: 'Code Interpreter',
    description: 'Runs Python code without access to network or host.',
    needsModel: true,
    isSelectable: true,
    isThere: ({ PYTHON_TOOL: isOn }) => isOn,
  },
];

const NEEDS_MODEL =
  ' Needs a language model, and none is configured: set LLM_BASE_URL and LLM_MODEL.';

/**
 * The tools that the caller may use: the built-in tools of this installation first, then those that administrators have
 * added.
 */
export async function listTools(services: ListServices, viewer: Viewer): Promise<ToolSnapshot[]> {
  const builtIn = BUILT_IN.filter((tool) => tool.isThere(services.config));
  const custom = await listToolRows(services.db, toolViewerOf(viewer));
  return [
    ...builtIn.map((tool) => presentBuiltIn(tool, services.config)),
    ...custom.map((row) => presentTool(services.secrets, row, viewOf(services, viewer))),
  ];
}

/** Only those of OpenAPI documents. */
export async function listOpenApiTools(
  services: ListServices,
  viewer: Viewer,
): Promise<ToolSnapshot[]> {
  const rows = await listToolRows(services.db, toolViewerOf(viewer));
  return rows
    .filter((row) => row.mcp_server_id === null)
    .map((row) => presentTool(services.secrets, row, viewOf(services, viewer)));
}

/** @throws Problem NOT_FOUND */
export async function findTool(
  services: ListServices,
  viewer: Viewer,
  id: number,
): Promise<ToolSnapshot> {
  const builtIn = BUILT_IN.find((tool) => tool.id === id);
  if (builtIn) {
    if (!builtIn.isThere(services.config)) throw unknownTool(id);
    return presentBuiltIn(builtIn, services.config);
  }
  const row = await findToolRow(services.db, toolViewerOf(viewer), id);
  return presentTool(services.secrets, row, viewOf(services, viewer));
}

/** A custom tool as this caller sees it. */
export function viewOf({ config }: Pick<ChatServices, 'config'>, { role }: Pick<Viewer, 'role'>) {
  return { isAdmin: role === 'admin', hasModel: hasModel(config) };
}

function toolViewerOf({ workspaceId, role }: Viewer) {
  return { workspaceId, seesDisabled: role === 'admin' };
}

function hasModel({ LLM_MODEL: models }: Config): boolean {
  return models !== undefined;
}

function presentBuiltIn(tool: BuiltInTool, config: Config): ToolSnapshot {
  const isUsable = !tool.needsModel || hasModel(config);
  return {
    id: tool.id,
    name: tool.name,
    description: isUsable ? tool.description : `${tool.description}${NEEDS_MODEL}`,
    definition: null,
    display_name: tool.displayName,
    in_code_tool_id: tool.codeId,
    custom_headers: null,
    passthrough_auth: false,
    mcp_server_id: null,
    user_id: null,
    oauth_config_id: null,
    oauth_config_name: null,
    enabled: isUsable,
    chat_selectable: isUsable && tool.isSelectable,
    agent_creation_selectable: tool.isSelectable,
    default_enabled: true,
  };
}
