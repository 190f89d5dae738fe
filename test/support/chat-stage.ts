import { sql } from 'kysely';
import { expect } from 'vitest';
import { createApiKey } from '#src/accounts/api-keys.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Role } from '#src/tables/accounts.ts';
import type { Answer } from './api-client.ts';
import { insertUser, ownerOf } from './seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from './test-millrace.ts';

/** A user of a workspace, and the actions of a test as that user. */
export interface ChatUser {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId;
  readonly key: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a session and returns its id. */
  createSession(fields?: object): Promise<string>;
  /** A colleague in the same workspace. */
  colleague(role?: Role): Promise<ChatUser>;
}

export interface ChatStage extends AsyncDisposable {
  readonly millrace: TestMillrace;
  /** The first user of a new workspace. */
  openUser(): Promise<ChatUser>;
  /** Adds a message below `parentId` and shows it there; by default below the last shown message of the session. */
  addMessage(sessionId: string, message: NewMessage): Promise<number>;
  rootOf(sessionId: string): Promise<number>;
  countRows(table: string, where: string): Promise<number>;
}

export interface NewMessage {
  role: 'user' | 'assistant';
  content: string;
  parentId?: number;
  citations?: Record<string, string>;
  documents?: unknown[];
  packets?: unknown[];
  files?: unknown[];
  error?: string;
  isUnfinished?: boolean;
}

export async function startChatStage(overrides: Record<string, string> = {}): Promise<ChatStage> {
  const millrace = await startTestMillrace({ RATE_LIMIT_PER_MINUTE: '100000', ...overrides });
  const { db } = millrace.services;
  const numberOf = async (query: ReturnType<typeof sql<{ n: number }>>): Promise<number> => {
    const [row] = (await query.execute(db)).rows;
    if (!row) throw new Error('The query returned no row.');
    return row.n;
  };
  const rootOf = (sessionId: string): Promise<number> =>
    numberOf(sql<{ n: number }>`select id as n from chat_message
      where chat_session_id = ${sessionId} and parent_id is null`);
  const lastShown = (sessionId: string): Promise<number> =>
    numberOf(sql<{ n: number }>`with recursive line as (
        select id, latest_child_id from chat_message
        where chat_session_id = ${sessionId} and parent_id is null
        union all
        select child.id, child.latest_child_id from line
        join chat_message child on child.id = line.latest_child_id)
      select max(id) as n from line`);
  return {
    millrace,
    async openUser() {
      const { workspaceId, key } = await millrace.createWorkspace();
      const userId = await ownerOf(db, workspaceId);
      // The ids come from the API and the table.
      return asUser(millrace, workspaceId as WorkspaceId, userId as UserId, key);
    },
    async addMessage(sessionId, message) {
      const parentId = message.parentId ?? (await lastShown(sessionId));
      const json = (value: unknown): string | null =>
        value === undefined ? null : JSON.stringify(value);
      const id = await numberOf(sql<{ n: number }>`
        insert into chat_message (workspace_id, chat_session_id, parent_id, role, content,
          citations, documents, packets, files, error, finished_at)
        select workspace_id, id, ${parentId}, ${message.role}, ${message.content},
          ${json(message.citations ?? {})}::json, ${json(message.documents)}::json,
          ${json(message.packets)}::json, ${json(message.files ?? [])}::json,
          ${message.error ?? null},
          case when ${message.isUnfinished ?? false}::boolean then null else now() end
        from chat_session where id = ${sessionId} returning id as n`);
      await sql`update chat_message set latest_child_id = ${id} where id = ${parentId}`.execute(db);
      return id;
    },
    rootOf,
    countRows: (table, where) =>
      numberOf(
        sql<{
          n: number;
        }>`select count(*)::int as n from ${sql.table(table)} where ${sql.raw(where)}`,
      ),
    [Symbol.asyncDispose]: () => millrace[Symbol.asyncDispose](),
  };
}

function asUser(
  millrace: TestMillrace,
  workspaceId: WorkspaceId,
  userId: UserId,
  key: string,
): ChatUser {
  const call: ChatUser['call'] = (method, path, body) => millrace.call(method, path, body, { key });
  return {
    workspaceId,
    userId,
    key,
    call,
    async createSession(fields = {}) {
      const { status, body } = await call('POST', '/chat/create-chat-session', fields);
      expect([status, body.detail]).toEqual([200, undefined]);
      return body.chat_session_id;
    },
    async colleague(role = 'member') {
      const { db } = millrace.services;
      const other = (await insertUser(db, workspaceId)) as UserId; // inserted above
      const owner = { workspaceId, userId: other };
      const made = await createApiKey(db, { ...owner, name: role, role, expiresInDays: null });
      return asUser(millrace, workspaceId, other, made.key);
    },
  };
}
