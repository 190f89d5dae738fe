import { loadCustomTools } from '#src/chat/custom-tools/load-custom-tools.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { StoredFile } from '#src/files/file-store.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from './api-client.ts';
import { ownerOf } from './seed-workspace.ts';
import type { TestMillrace } from './test-millrace.ts';

/** The content of an API answer; the assertions of a test are its validation. */
export type Json = Answer['body'];

export interface CallerHeaders {
  authorization?: string;
  mcpHeaders?: Record<string, string>;
}

/** The custom tools of a workspace, as loaded for an answer. */
export interface LoadedTools extends AsyncDisposable {
  tools: Tool[];
  /** @throws when no tool has that name */
  of(name: string): Tool;
}

/** A workspace that adds tools, and its administrator. */
export interface ToolTenant {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId;
  readonly key: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Posts a body that must be accepted. */
  add(path: string, body: unknown): Promise<Json>;
  load(ids?: readonly number[] | null, headers?: CallerHeaders): Promise<LoadedTools>;
  /** The first file that a packet names. */
  fileOf(packet: unknown): Promise<{ file: StoredFile; bytes: Buffer }>;
}

export async function openToolTenant(millrace: TestMillrace): Promise<ToolTenant> {
  const { workspaceId: id, key } = await millrace.createWorkspace();
  const workspaceId = id as WorkspaceId; // came from the API
  const userId = (await ownerOf(millrace.services.db, id)) as UserId;
  const call: ToolTenant['call'] = (method, path, body) =>
    millrace.call(method, path, body, { key });
  return {
    workspaceId,
    userId,
    key,
    call,
    async add(path, body) {
      const answer = await call('POST', path, body);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      return answer.body;
    },
    async load(ids = null, headers = {}) {
      const caller = {
        workspaceId,
        userId,
        authorization: headers.authorization ?? null,
        mcpHeaders: headers.mcpHeaders ?? null,
      };
      const loaded = await loadCustomTools(millrace.services, caller, ids);
      const { tools } = loaded;
      return {
        tools,
        of(name) {
          const found = tools.find((tool) => tool.name === name);
          if (!found) throw new Error(`There is no tool ${name}.`);
          return found;
        },
        [Symbol.asyncDispose]: () => loaded.close(),
      };
    },
    async fileOf(packet) {
      const [fileId] = (packet as { file_ids: StoredFileId[] }).file_ids;
      const found = fileId && (await millrace.services.files.read(workspaceId, fileId));
      if (!found) throw new Error('The file is not stored.');
      return found;
    },
  };
}
