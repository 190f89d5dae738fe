import { readPassages } from '#src/documents/search/read-passages.ts';
import { searchDocuments } from '#src/documents/search/search-documents.ts';
import type { SearchFilters } from '#src/documents/search/search-filters.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { ChatModel } from '#src/chat/model/chat-model.ts';
import type { ChatRequest } from '#src/chat/request/chat-request.ts';
import type { Agent } from '#src/chat/agents/find-agent.ts';
import { loadCustomTools } from '#src/chat/custom-tools/load-custom-tools.ts';
import type { ChatOwner } from '#src/chat/turns/chat-owner.ts';
import type { ProjectSources } from './project-sources.ts';
import type { ReadPassages } from '#src/chat/extract/extract-from.ts';
import { paraphraseQuestion } from '#src/chat/extract/paraphrase-question.ts';
import { createImageGeneration } from '#src/chat/built-in-tools/image-generation.ts';
import { createInternalSearch } from '#src/chat/built-in-tools/internal-search.ts';
import type { SearchIndex } from '#src/chat/search/search-all.ts';
import { KnownUrls } from '#src/chat/search/known-urls.ts';
import { notingUrls } from '#src/chat/built-in-tools/note-urls.ts';
import { createOpenUrl } from '#src/chat/built-in-tools/open-url.ts';
import { createPython } from '#src/chat/built-in-tools/python.ts';
import { type Tool, TOOL_IDS } from '#src/chat/tools/tool.ts';
import { createWebSearch } from '#src/chat/built-in-tools/web-search.ts';
import { searchUserFiles } from '#src/chat/user-files/search-user-files.ts';
import type { Attachment } from '#src/chat/user-files/load-attachments.ts';

export interface ToolboxInput {
  caller: ChatOwner & { authorization: string | null };
  request: Pick<
    ChatRequest,
    'allowedToolIds' | 'forcedToolId' | 'filters' | 'mcpHeaders' | 'deepResearch'
  >;
  agent: Agent;
  model: ChatModel | null;
  project: ProjectSources | null;
  attachments: readonly Attachment[];
  /** The user's messages in this session, the question last. */
  userTexts: readonly string[];
}

/** The tools of one answer. */
export interface Toolbox {
  tools: readonly Tool[];
  /** Null when internal search covers the user's files. */
  readPassages: ReadPassages | null;
  forcedToolId: number | null;
  /** Closes connections that tools have opened. */
  close(): Promise<void>;
}

/**
 * The tools that an answer may use: those that are configured, that the agent has and that the request allows. Only
 * internal search if the model does not call tools.
 * @throws Problem BAD_REQUEST for a forced tool that is not among them
 */
export async function openToolbox(services: ChatServices, input: ToolboxInput): Promise<Toolbox> {
  const { model, request, agent, caller } = input;
  const isAllowed = (id: number): boolean =>
    (request.allowedToolIds?.includes(id) ?? true) && (agent.toolIds?.includes(id) ?? true);
  const index = openIndex(services, input);
  const known = knownUrls(services, input);
  const noting = (tool: Tool): Tool => (known === null ? tool : notingUrls(tool, known));
  const search = noting(createInternalSearch(index.searchIndex));
  const webSearch = createWebSearch(services);
  const builtIn =
    model?.callsTools === true
      ? [
          search,
          webSearch === null ? null : noting(webSearch),
          createOpenUrl(services, caller, known),
          createImageGeneration(services, caller),
          openPython(services, input),
        ]
      : [search];
  const tools = builtIn.filter((tool): tool is Tool => tool !== null && isAllowed(tool.id));
  const custom = await openCustomTools(services, input, isAllowed);
  const all = [...tools, ...custom.tools];
  const forcedToolId = forcedOf(input, all);
  return {
    tools: all,
    readPassages: index.readPassages,
    forcedToolId,
    close: () => custom.close(),
  };
}

/** Null when any URL may be opened. */
function knownUrls({ config }: ChatServices, { agent, userTexts }: ToolboxInput): KnownUrls | null {
  if (config.OPEN_URL_POLICY === 'any') return null;
  return new KnownUrls([...userTexts, agent.instructions]);
}

/** The tools whose documents an answer may cite; deep research uses only these. */
export function searchTools(tools: readonly Tool[]): readonly Tool[] {
  const ids: readonly number[] = [TOOL_IDS.internalSearch, TOOL_IDS.webSearch, TOOL_IDS.openUrl];
  return tools.filter(({ id }) => ids.includes(id));
}

function openPython({ pythonSandbox, files }: ChatServices, input: ToolboxInput): Tool | null {
  if (pythonSandbox === null) return null;
  const attached = input.attachments.map((attachment) => ({
    name: attachment.name,
    read: (signal: AbortSignal) => attachment.read(signal),
  }));
  return createPython({ sandbox: pythonSandbox, files, owner: input.caller, attached });
}

const NO_CUSTOM_TOOLS = { tools: [], close: () => Promise.resolve() };

async function openCustomTools(
  services: ChatServices,
  { model, request, agent, caller }: ToolboxInput,
  isAllowed: (id: number) => boolean,
): Promise<{ tools: Tool[]; close(): Promise<void> }> {
  const named = request.allowedToolIds ?? agent.toolIds;
  const ids = named?.filter((id) => id >= 1_000 && isAllowed(id)) ?? null;
  const isUseless = model?.callsTools !== true || request.deepResearch || ids?.length === 0;
  if (isUseless) return NO_CUSTOM_TOOLS;
  return loadCustomTools(services, { ...caller, mcpHeaders: request.mcpHeaders }, ids);
}

function forcedOf({ request, model }: ToolboxInput, tools: readonly Tool[]): number | null {
  const { forcedToolId: id } = request;
  if (id === null || tools.some((tool) => tool.id === id)) return id;
  if (model?.callsTools !== true && id !== TOOL_IDS.internalSearch) {
    const reason =
      model === null
        ? 'needs a language model, and none is configured here (LLM_BASE_URL, LLM_MODEL)'
        : `needs a model that calls tools, and ${model.name} does not (LLM_TOOL_CALLS)`;
    throw new Problem('BAD_REQUEST', `forced_tool_id: tool ${id} ${reason}. Leave it out.`);
  }
  throw new Problem(
    'BAD_REQUEST',
    `forced_tool_id: ${id} is not a tool of this agent. GET /tool lists the tools; leave it out to let the agent decide.`,
  );
}

/** What internal search covers: the files of a project, those of the message, or the workspace's documents. */
function openIndex(
  services: ChatServices,
  input: ToolboxInput,
): { searchIndex: SearchIndex; readPassages: ReadPassages | null } {
  const { caller, agent, project, request, model } = input;
  const attached = input.attachments.flatMap(({ descriptor }) => descriptor.user_file_id ?? []);
  const userFileIds = project?.isSearched
    ? project.files.map(({ userFileId }) => userFileId)
    : attached;
  if (project?.isSearched || (model === null && attached.length > 0)) {
    return {
      searchIndex: (query, limit, signal) =>
        searchUserFiles(services.db, caller, { userFileIds, query, limit, signal }),
      readPassages: null,
    };
  }
  const filters = withinSets(request.filters, agent.documentSets);
  return {
    searchIndex: (query, limit, signal) =>
      searchDocuments(services, {
        ...caller,
        query,
        filters,
        limit,
        signal,
        // A model writes its queries in the words of the documents.
        ...(model === null ? { besides: paraphraseQuestion(query, null) } : {}),
      }),
    readPassages: (wanted) =>
      readPassages(services.db, { ...wanted, workspaceId: caller.workspaceId }),
  };
}

/** Restricts the filters of a request to an agent's document sets. */
function withinSets(filters: SearchFilters, documentSets: readonly string[]): SearchFilters {
  if (documentSets.length === 0) return filters;
  const asked = filters.document_set;
  const document_set =
    asked.length === 0 ? [...documentSets] : asked.filter((name) => documentSets.includes(name));
  // No set in common: a name that no set can have finds nothing, as intended.
  return { ...filters, document_set: document_set.length === 0 ? ['\u0001'] : document_set };
}
