import { nameDocumentSets } from '#src/connectors/administration/document-sets.ts';
import type { ChatModels } from '#src/chat/model/chat-models.ts';
import { TOOL_IDS } from '#src/chat/tools/tool.ts';
import type { CustomToolId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { AgentChange } from './agent-request.ts';

const BUILT_IN: ReadonlySet<number> = new Set(Object.values(TOOL_IDS));

/** @throws Problem BAD_REQUEST that names an id that is not a tool of the workspace */
export async function assertTools(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  ids: readonly number[],
): Promise<void> {
  const others = ids.filter((id) => !BUILT_IN.has(id));
  if (others.length === 0) return;
  const rows = await trx
    .selectFrom('custom_tool')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', others as CustomToolId[]) // numbers from the caller; the query tells which exist
    .execute();
  const known = new Set<number>(rows.map(({ id }) => id));
  const missing = ids.findIndex((id) => !BUILT_IN.has(id) && !known.has(id));
  if (missing === -1) return;
  throw new Problem(
    'BAD_REQUEST',
    `body.tool_ids[${missing}]: there is no tool ${ids[missing]}. GET /tool lists the tools.`,
  );
}

/**
 * The names of the document sets in a change; null when it does not mention them.
 * @throws Problem BAD_REQUEST that names one which does not exist
 */
export async function documentSetNames(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
  { documentSetIds, documentSetNames: names }: AgentChange,
): Promise<string[] | null> {
  if (!documentSetIds && !names) return null;
  const sets = await nameDocumentSets(trx, workspaceId);
  if (names) {
    const known = new Set(sets.map(({ name }) => name));
    const missing = names.findIndex((name) => !known.has(name));
    if (missing !== -1) throw noSet('document_sets', missing, JSON.stringify(names[missing]));
    return [...new Set(names)];
  }
  const nameOf = new Map<number, string>(sets.map(({ id, name }) => [id, name]));
  return [...new Set(documentSetIds)].map((id, index) => {
    const name = nameOf.get(id);
    if (name === undefined) throw noSet('document_set_ids', index, String(id));
    return name;
  });
}

function noSet(field: string, index: number, shown: string): Problem {
  return new Problem(
    'BAD_REQUEST',
    `body.${field}[${index}]: there is no document set ${shown}. GET /manage/document-set lists them.`,
  );
}

/** @throws Problem BAD_REQUEST that lists the configured models */
export function assertModel(
  chatModels: ChatModels,
  { provider, version }: { provider: string | null; version: string | null },
): void {
  if (provider === null && version === null) return;
  try {
    chatModels.choose({ model_provider: provider, model_version: version });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const field = version === null ? 'llm_model_provider_override' : 'llm_model_version_override';
    throw new Problem('BAD_REQUEST', `body.${field}: ${error.message}`, { cause: error });
  }
}
