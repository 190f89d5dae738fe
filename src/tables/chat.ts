import type { Generated, GeneratedAlways } from 'kysely';
import type {
  AgentId,
  ChatSessionId,
  CustomToolId,
  McpServerId,
  ProjectId,
  StoredFileId,
  UserFileId,
  UserId,
  WorkspaceId,
} from '#src/ids.ts';
import type { Json, JsonWithDefault, LocalDate, Timestamp } from './column-types.ts';

/** An agent answers: instructions, tools, documents and a model. The default agent, id 0, has no row. */
interface AgentTable {
  id: GeneratedAlways<AgentId>;
  workspace_id: WorkspaceId;
  /** Null once the user is deleted. */
  created_by: UserId | null;
  name: string;
  description: Generated<string>;
  instructions: Generated<string>;
  /** If false, only its creator can see it. */
  is_public: Generated<boolean>;
  /** Null means all tools. */
  tool_ids: number[] | null;
  /** Names; empty means all documents. */
  document_sets: Generated<string[]>;
  model_provider: string | null;
  model_version: string | null;
  temperature: number | null;
  starter_messages: JsonWithDefault<{ name: string; message: string }[]>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Date | null;
}

interface ProjectTable {
  id: GeneratedAlways<ProjectId>;
  workspace_id: WorkspaceId;
  user_id: UserId;
  name: string;
  description: string | null;
  instructions: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export const CHAT_FILE_TYPES = ['image', 'document', 'plain_text', 'csv'] as const;
export type ChatFileType = (typeof CHAT_FILE_TYPES)[number];

export const USER_FILE_STATUSES = [
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'DELETING',
] as const;

/** `PROCESSING → COMPLETED | FAILED`. */
export type UserFileStatus = (typeof USER_FILE_STATUSES)[number];

/** A file that a user uploaded for chats and projects. */
interface UserFileTable {
  id: UserFileId;
  workspace_id: WorkspaceId;
  user_id: UserId;
  stored_file_id: StoredFileId;
  name: string;
  media_type: string;
  chat_file_type: ChatFileType;
  status: Generated<UserFileStatus>;
  /** The extracted text; null before extraction, and for images. */
  text: string | null;
  token_count: number | null;
  chunk_count: number | null;
  /** Why it failed, for the user. */
  error: string | null;
  attempts: Generated<number>;
  claimed_until: Date | null;
  queued_at: Timestamp;
  created_at: Timestamp;
  last_accessed_at: Date | null;
}

interface UserFileChunkTable {
  user_file_id: UserFileId;
  ordinal: number;
  text: string;
  /** Ids of its words, as in `bm25.ts`, with repetitions. */
  terms: number[];
}

interface ProjectFileTable {
  project_id: ProjectId;
  user_file_id: UserFileId;
  added_at: Timestamp;
}

interface ChatSessionTable {
  id: ChatSessionId;
  workspace_id: WorkspaceId;
  user_id: UserId;
  title: string | null;
  /** Null means the default agent. */
  agent_id: AgentId | null;
  project_id: ProjectId | null;
  shared_status: Generated<'private' | 'public'>;
  temperature_override: number | null;
  /** `provider/model`, or the name of a model. */
  alternate_model: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Date | null;
}

/** A file as referenced by a message. */
export interface FileDescriptor {
  /** Id of the stored file. */
  id: StoredFileId;
  type: ChatFileType;
  name: string | null;
  user_file_id: UserFileId | null;
}

interface ChatMessageTable {
  id: GeneratedAlways<number>;
  workspace_id: WorkspaceId;
  chat_session_id: ChatSessionId;
  /** Null only for the session's root: an empty message with the role `system`. */
  parent_id: number | null;
  /** The branch shown when several messages have this parent. */
  latest_child_id: number | null;
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** Citation number → document id, for assistant messages. */
  citations: Json<Record<string, string>>;
  reasoning: string | null;
  /** SearchDocs given to the answer; null when nothing was searched. */
  documents: Json<unknown[]> | null;
  files: JsonWithDefault<FileDescriptor[]>;
  /** The answer's packets, as sent. */
  packets: Json<unknown[]> | null;
  /** Deep research asked a question instead of answering. */
  is_clarification: Generated<boolean>;
  model: string | null;
  duration_ms: number | null;
  /** Why the answer failed or is incomplete. */
  error: string | null;
  created_at: Timestamp;
  /** Null while an answer is being written. */
  finished_at: Date | null;
}

interface ChatFeedbackTable {
  chat_message_id: number;
  workspace_id: WorkspaceId;
  is_positive: boolean | null;
  feedback_text: string | null;
  predefined_feedback: string | null;
  created_at: Timestamp;
}

/** An answer in progress, or one that ended recently. */
interface ChatRunTable {
  chat_message_id: number;
  workspace_id: WorkspaceId;
  chat_session_id: ChatSessionId;
  /** Renewed by its process; a past time means that the process is dead. */
  alive_until: Date;
  stop_requested_at: Date | null;
  /** Renewed by readers in other processes. */
  followed_until: Date | null;
  started_at: Timestamp;
  finished_at: Date | null;
}

/** Consecutive lines of a run's stream. */
interface ChatRunPartTable {
  chat_message_id: number;
  first_line: number;
  lines: Json<unknown[]>;
}

interface McpServerTable {
  id: GeneratedAlways<McpServerId>;
  workspace_id: WorkspaceId;
  created_by: UserId | null;
  name: string;
  description: Generated<string>;
  server_url: string;
  /** JSON of `[{key, value}]`, sealed; null when there are none. */
  sealed_headers: string | null;
  enabled: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** An OpenAPI document (one tool for all its operations), or one tool of an MCP server. */
interface CustomToolTable {
  id: GeneratedAlways<CustomToolId>;
  workspace_id: WorkspaceId;
  created_by: UserId | null;
  mcp_server_id: McpServerId | null;
  name: string;
  display_name: string;
  description: Generated<string>;
  /** The OpenAPI document; of an MCP tool its `{name, description, inputSchema}`. */
  definition: Json<Record<string, unknown>>;
  sealed_headers: string | null;
  passthrough_auth: Generated<boolean>;
  enabled: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** Tokens that a workspace used of a model on a day (UTC). */
interface ModelUsageTable {
  workspace_id: WorkspaceId;
  day: LocalDate;
  provider: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  /** Part of `output_tokens`. */
  reasoning_tokens: number;
}

/** Conversations, agents and tools. */
export interface ChatTables {
  agent: AgentTable;
  project: ProjectTable;
  user_file: UserFileTable;
  user_file_chunk: UserFileChunkTable;
  project_file: ProjectFileTable;
  chat_session: ChatSessionTable;
  chat_message: ChatMessageTable;
  chat_feedback: ChatFeedbackTable;
  chat_run: ChatRunTable;
  chat_run_part: ChatRunPartTable;
  mcp_server: McpServerTable;
  custom_tool: CustomToolTable;
  model_usage: ModelUsageTable;
}
