import type {
  AgentSummary,
  ChatFullResponse,
  ChatRequest,
  ChatSessionDetailResponse,
  ChatSessionList,
  CreatedChatSession,
  NewChatSession,
  RenamedChatSession,
  ToolSnapshot,
  UploadedFiles,
  UserFileSnapshot,
} from './api-types.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';
import type { StreamLine } from './packets.ts';
import { followAnswer, streamAnswer } from './stream-answer.ts';
import { filesRead, uploadFiles, type UploadOptions } from './upload-files.ts';

/** Allows aborting a call. */
interface CallOptions {
  signal?: AbortSignal;
}

export interface SessionFilter {
  /** 1 to 100; 50 by default. */
  pageSize?: number;
  /** `time_updated` of the last session of a page; returns the next page. */
  before?: string;
  /** Only the sessions of this project. */
  projectId?: number;
  /** Includes sessions of projects. */
  withProjects?: boolean;
}

/** The chat of a Millrace service. Every failed call throws `MillraceError`. */
export interface MillraceClient {
  readonly chat: {
    /** The whole answer in one object. Stream long answers instead: many proxies close idle connections. */
    send(request: ChatRequest, options?: CallOptions): Promise<ChatFullResponse>;
    /** Streams the answer; see `streamAnswer`. Sends nothing before the first line is requested. */
    stream(request: ChatRequest, options?: CallOptions): AsyncGenerator<StreamLine, void>;
    /**
     * The latest answer of a session from a given line on, while it is being written and for ten minutes afterwards.
     */
    follow(
      sessionId: string,
      options?: CallOptions & { cursor?: number },
    ): AsyncGenerator<StreamLine, void>;
  };
  readonly sessions: {
    /** Most recently used first. */
    list(filter?: SessionFilter, options?: CallOptions): Promise<ChatSessionList>;
    create(session?: NewChatSession, options?: CallOptions): Promise<CreatedChatSession>;
    get(sessionId: string, options?: CallOptions): Promise<ChatSessionDetailResponse>;
    /** @param name null generates a name from the start of the session */
    rename(sessionId: string, name: string | null, options?: CallOptions): Promise<string>;
    /** `isFinal`: deletes the rows instead of hiding them. */
    delete(sessionId: string, options?: CallOptions & { isFinal?: boolean }): Promise<void>;
    /** Stops the answer in progress; the text so far is kept. */
    stop(sessionId: string, options?: CallOptions): Promise<void>;
  };
  readonly files: {
    /** Paths on this machine, or `File`s; see `uploadFiles`. */
    upload(files: readonly (string | File)[], options?: UploadOptions): Promise<UploadedFiles>;
    /** Waits until the files have been read; see `filesRead`. */
    read(files: readonly UserFileSnapshot[], options?: CallOptions): Promise<UserFileSnapshot[]>;
    /** The bytes of an uploaded file, or of one created by an answer. */
    download(fileId: string, options?: CallOptions): Promise<Blob>;
  };
  readonly tools: { list(options?: CallOptions): Promise<ToolSnapshot[]> };
  readonly agents: { list(options?: CallOptions): Promise<AgentSummary[]> };
}

/** Creates a client; sends nothing before the first call. */
export function createMillraceClient(options: ConnectionOptions): MillraceClient {
  const connection = openConnection(options);
  return {
    chat: {
      send: (request, { signal } = {}) =>
        connection.json('POST', '/chat/send-chat-message', {
          body: { ...request, stream: false },
          signal,
          timeoutMs: null,
        }),
      stream: (request, { signal } = {}) => streamAnswer(connection, request, signal),
      follow: (sessionId, { cursor = 0, signal } = {}) =>
        followAnswer(connection, { sessionId, cursor }, signal),
    },
    sessions: sessionsOf(connection),
    files: {
      upload: (files, how) => uploadFiles(connection, files, how),
      read: (files, { signal } = {}) => filesRead(connection, files, signal),
      download: async (fileId, { signal } = {}) => {
        const path = `/chat/file/${encodeURIComponent(fileId)}`;
        return (await connection.request('GET', path, { signal })).blob();
      },
    },
    tools: { list: ({ signal } = {}) => connection.json('GET', '/tool', { signal }) },
    agents: { list: ({ signal } = {}) => connection.json('GET', '/persona', { signal }) },
  };
}

function sessionsOf(connection: Connection): MillraceClient['sessions'] {
  const at = (path: string, sessionId: string): string => path + encodeURIComponent(sessionId);
  return {
    list: (filter = {}, { signal } = {}) =>
      connection.json('GET', `/chat/get-user-chat-sessions?${queryOf(filter)}`, { signal }),
    create: (session = {}, { signal } = {}) =>
      connection.json('POST', '/chat/create-chat-session', { body: session, signal }),
    get: (sessionId, { signal } = {}) =>
      connection.json('GET', at('/chat/get-chat-session/', sessionId), { signal }),
    rename: async (sessionId, name, { signal } = {}) => {
      const body = { chat_session_id: sessionId, name };
      const path = '/chat/rename-chat-session';
      const renamed = await connection.json<RenamedChatSession>('PUT', path, { body, signal });
      return renamed.new_name;
    },
    delete: async (sessionId, { isFinal = false, signal } = {}) => {
      const path = `${at('/chat/delete-chat-session/', sessionId)}?hard_delete=${isFinal}`;
      await connection.json('DELETE', path, { signal });
    },
    stop: async (sessionId, { signal } = {}) => {
      await connection.json('POST', at('/chat/stop-chat-session/', sessionId), { signal });
    },
  };
}

function queryOf({ pageSize, before, projectId, withProjects }: SessionFilter): string {
  const query = new URLSearchParams();
  if (pageSize !== undefined) query.set('page_size', String(pageSize));
  if (before !== undefined) query.set('before', before);
  if (projectId !== undefined) query.set('project_id', String(projectId));
  if (withProjects === true) query.set('only_non_project_chats', 'false');
  return query.toString();
}
