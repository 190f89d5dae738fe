// Made by `npm run client:types` from the OpenAPI description of this service. Do not edit.

export type AgentSummaries = AgentSummary[];
export type PacketBody =
  | {
      type: 'stop';
      stop_reason: string | null;
    }
  | {
      type: 'section_end';
    }
  | {
      type: 'top_level_branching';
      num_parallel_branches: number;
    }
  | {
      type: 'error';
      exception: string;
      message: string;
      error_code: string;
      is_retryable: boolean;
      stack_trace: null;
      details: {
        [k: string]: unknown;
      } | null;
    }
  | {
      type: 'message_start';
      final_documents: SearchDoc[] | null;
    }
  | {
      type: 'message_delta';
      content: string;
    }
  | CitationInfo
  | {
      type: 'search_tool_start';
      is_internet_search: boolean;
    }
  | {
      type: 'search_tool_queries_delta';
      queries: string[];
    }
  | {
      type: 'search_tool_documents_delta';
      documents: SearchDoc[];
    }
  | {
      type: 'open_url_start';
    }
  | {
      type: 'open_url_urls';
      urls: string[];
    }
  | {
      type: 'open_url_documents';
      documents: SearchDoc[];
    }
  | {
      type: 'image_generation_start';
    }
  | {
      type: 'image_generation_heartbeat';
    }
  | {
      type: 'image_generation_final';
      images: GeneratedImage[];
    }
  | {
      type: 'python_tool_start';
      code: string;
    }
  | {
      type: 'python_tool_delta';
      stdout: string;
      stderr: string;
      file_ids: string[];
    }
  | {
      type: 'custom_tool_start';
      tool_name: string;
      tool_id: number | null;
    }
  | {
      type: 'custom_tool_delta';
      tool_name: string;
      tool_id: number | null;
      response_type: 'json' | 'text' | 'csv' | 'image';
      data: unknown;
      file_ids: string[] | null;
      error: {
        is_auth_error: boolean;
        status_code: number;
        message: string;
      } | null;
    }
  | {
      type: 'reasoning_start';
    }
  | {
      type: 'reasoning_delta';
      reasoning: string;
    }
  | {
      type: 'reasoning_done';
    }
  | {
      type: 'deep_research_plan_start';
    }
  | {
      type: 'deep_research_plan_delta';
      content: string;
    }
  | {
      type: 'research_agent_start';
      research_task: string;
    }
  | {
      type: 'intermediate_report_start';
    }
  | {
      type: 'intermediate_report_delta';
      content: string;
    }
  | {
      type: 'intermediate_report_cited_docs';
      cited_docs: SearchDoc[] | null;
    };
export type ToolSnapshots = ToolSnapshot[];
export type UserFileSnapshots = UserFileSnapshot[];

/**
 * Every type of this file by its name.
 */
export interface ApiTypes {
  AgentSummaries: AgentSummaries;
  AgentSummary: AgentSummary;
  ChatFullResponse: ChatFullResponse;
  ChatMessageDetail: ChatMessageDetail;
  ChatRequest: ChatRequest;
  ChatSession: ChatSession;
  ChatSessionDetailResponse: ChatSessionDetailResponse;
  ChatSessionList: ChatSessionList;
  CitationInfo: CitationInfo;
  CreatedChatSession: CreatedChatSession;
  GeneratedImage: GeneratedImage;
  LlmOverride: LlmOverride;
  NewChatSession: NewChatSession;
  Packet: Packet;
  PacketBody: PacketBody;
  Placement: Placement;
  RenamedChatSession: RenamedChatSession;
  SavedSearchDoc: SavedSearchDoc;
  SearchDoc: SearchDoc;
  SearchFilters: SearchFilters;
  ToolCallResponse: ToolCallResponse;
  ToolSnapshot: ToolSnapshot;
  ToolSnapshots: ToolSnapshots;
  UploadedFiles: UploadedFiles;
  UserFileSnapshot: UserFileSnapshot;
  UserFileSnapshots: UserFileSnapshots;
}
export interface AgentSummary {
  /**
   * 0 is the default agent.
   */
  id: number;
  name: string;
  description: string;
  /**
   * Of those it may use, the ones that this install has.
   */
  tools: {
    id: number;
    name: string;
    display_name: string;
    in_code_tool_id: string | null;
  }[];
  /**
   * Null: all tools, later ones included.
   */
  tool_ids: number[] | null;
  /**
   * None: all documents. An id of 0: there is no set of this name any more.
   */
  document_sets: {
    id: number;
    name: string;
  }[];
  llm_model_provider_override: string | null;
  llm_model_version_override: string | null;
  model_provider: string | null;
  model_version: string | null;
  temperature: number | null;
  starter_messages: {
    name: string;
    message: string;
  }[];
  is_public: boolean;
  is_visible: boolean;
  is_listed: boolean;
  builtin_persona: boolean;
  is_default_persona: boolean;
  is_featured: boolean;
  display_priority: number | null;
  /**
   * Who made it.
   */
  owner: {
    id: string;
  } | null;
  /**
   * Always empty.
   */
  users: unknown[];
  /**
   * Always empty.
   */
  groups: unknown[];
  /**
   * Always empty.
   */
  labels: unknown[];
  icon_name: string | null;
  uploaded_image_id: string | null;
  num_chunks: number | null;
  created_at: string | null;
  updated_at: string | null;
}
export interface ChatFullResponse {
  answer: string;
  answer_citationless: string;
  pre_answer_reasoning: string | null;
  tool_calls: ToolCallResponse[];
  top_documents: SearchDoc[];
  citation_info: CitationInfo[];
  message_id: number;
  chat_session_id: string | null;
  error_msg: string | null;
}
export interface ToolCallResponse {
  tool_name: string;
  tool_arguments: {
    [k: string]: unknown;
  };
  tool_result: string;
  search_docs: SearchDoc[] | null;
  generated_images: GeneratedImage[] | null;
  pre_reasoning: string | null;
}
export interface SearchDoc {
  document_id: string;
  /**
   * Ordinal of the best chunk.
   */
  chunk_ind: number;
  semantic_identifier: string;
  link: string | null;
  blurb: string;
  source_type: string;
  boost: number;
  hidden: boolean;
  metadata: {
    [k: string]: string | string[];
  };
  /**
   * 0 to 1; comparable within one answer only.
   */
  score: number | null;
  is_relevant: boolean | null;
  relevance_explanation: string | null;
  match_highlights: string[];
  updated_at: string | null;
  primary_owners: string[] | null;
  secondary_owners: string[] | null;
  is_internet: boolean;
}
export interface GeneratedImage {
  file_id: string;
  url: string;
  revised_prompt: string;
  shape: ('square' | 'portrait' | 'landscape') | null;
}
export interface CitationInfo {
  type: 'citation_info';
  citation_number: number;
  document_id: string;
}
export interface ChatMessageDetail {
  chat_session_id: string;
  message_id: number;
  /**
   * null for the root.
   */
  parent_message: number | null;
  latest_child_message: number | null;
  message: string;
  reasoning_tokens: string | null;
  /**
   * The root is an empty system message.
   */
  message_type: 'system' | 'user' | 'assistant';
  context_docs: SavedSearchDoc[] | null;
  /**
   * Citation number to document id.
   */
  citations: {
    [k: string]: string;
  } | null;
  time_sent: string;
  files: {
    id: string;
    type: 'image' | 'document' | 'plain_text' | 'csv';
    name: string | null;
    user_file_id: string | null;
  }[];
  /**
   * Why the answer failed or is not whole.
   */
  error: string | null;
  current_feedback: ('like' | 'dislike') | null;
  processing_duration_seconds: number | null;
  model_display_name: string | null;
}
export interface SavedSearchDoc {
  document_id: string;
  /**
   * Ordinal of the best chunk.
   */
  chunk_ind: number;
  semantic_identifier: string;
  link: string | null;
  blurb: string;
  source_type: string;
  boost: number;
  hidden: boolean;
  metadata: {
    [k: string]: string | string[];
  };
  score: number;
  is_relevant: boolean | null;
  relevance_explanation: string | null;
  match_highlights: string[];
  updated_at: string | null;
  primary_owners: string[] | null;
  secondary_owners: string[] | null;
  is_internet: boolean;
  /**
   * Its place among the documents of its message, from 1.
   */
  db_doc_id: number;
}
export interface ChatRequest {
  /**
   * May be empty when files are attached, or an earlier message is answered again.
   */
  message: string;
  llm_override?: LlmOverride | null;
  llm_overrides?: LlmOverride[] | null;
  allowed_tool_ids?: (number | string)[] | null;
  forced_tool_id?: ((number | string) | string) | null;
  file_descriptors?:
    | (
        | string
        | {
            id: string;
            type?: string | null;
            name?: string | null;
            user_file_id?: string | null;
          }
      )[]
    | null;
  search_filters?: SearchFilters | null;
  internal_search_filters?: SearchFilters | null;
  deep_research?: boolean | null;
  parent_message_id?: (number | string) | null;
  chat_session_id?: string | null;
  chat_session_info?: {
    persona_id?: number | null;
    project_id?: number | null;
  } | null;
  stream?: boolean | null;
  include_citations?: boolean | null;
  additional_context?: string | null;
  mcp_headers?: {
    [k: string]: string;
  } | null;
}
export interface LlmOverride {
  model_provider?: string | null;
  model_version?: string | null;
  temperature?: number | null;
}
export interface SearchFilters {
  source_type?: string[] | null;
  document_set?: string[] | null;
  time_cutoff?: string | null;
  tags?:
    | (
        | {
            tag_key: string;
            tag_value: string;
          }[]
        | {
            [k: string]: string | string[];
          }
      )
    | null;
}
export interface ChatSession {
  id: string;
  /**
   * null until it is given one.
   */
  name: string | null;
  /**
   * 0 is the default agent.
   */
  persona_id: number | null;
  time_created: string;
  /**
   * Of its last message; what `before` takes.
   */
  time_updated: string;
  shared_status: 'public' | 'private';
  current_alternate_model: string | null;
  current_temperature_override: number | null;
}
export interface ChatSessionDetailResponse {
  chat_session_id: string;
  description: string | null;
  /**
   * 0 is the default agent.
   */
  persona_id: number | null;
  persona_name: string | null;
  personal_icon_name: string | null;
  /**
   * The branch that is shown, from the root.
   */
  messages: ChatMessageDetail[];
  time_created: string;
  shared_status: 'public' | 'private';
  current_alternate_model: string | null;
  current_temperature_override: number | null;
  deleted: boolean;
  /**
   * Of each assistant message in turn, as its stream was.
   */
  packets: Packet[][];
  owner_name: string | null;
  current_run: {
    /**
     * The message that is being written.
     */
    run_id: number;
  } | null;
}
export interface Packet {
  placement: Placement;
  obj: PacketBody;
}
export interface Placement {
  turn_index: number;
  tab_index: number;
  sub_turn_index: number | null;
  model_index?: number | null;
}
export interface ChatSessionList {
  sessions: ChatSession[];
  has_more: boolean;
}
export interface CreatedChatSession {
  chat_session_id: string;
}
export interface NewChatSession {
  /**
   * The agent; 0, the default one, unless told.
   */
  persona_id?: number | null;
  /**
   * Its name.
   */
  description?: string | null;
  project_id?: number | null;
}
export interface RenamedChatSession {
  new_name: string;
}
export interface ToolSnapshot {
  id: number;
  /**
   * What the model calls it.
   */
  name: string;
  description: string;
  /**
   * The OpenAPI document; what an MCP server says of its tool; null when built in.
   */
  definition: {
    [k: string]: unknown;
  } | null;
  display_name: string;
  in_code_tool_id: string | null;
  /**
   * Masked; null for those who are no administrators.
   */
  custom_headers:
    | {
        key: string;
        value: string;
      }[]
    | null;
  passthrough_auth: boolean;
  mcp_server_id: number | null;
  user_id: string | null;
  oauth_config_id: number | null;
  oauth_config_name: string | null;
  enabled: boolean;
  chat_selectable: boolean;
  agent_creation_selectable: boolean;
  default_enabled: boolean;
}
export interface UploadedFiles {
  user_files: UserFileSnapshot[];
  rejected_files: {
    file_name: string;
    reason: string;
  }[];
}
export interface UserFileSnapshot {
  /**
   * For /user/projects/file/{file_id}.
   */
  id: string;
  temp_id: string | null;
  name: string;
  project_id: number | null;
  user_id: string | null;
  /**
   * For file_descriptors and /chat/file/{file_id}.
   */
  file_id: string;
  created_at: string;
  status: 'PROCESSING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'DELETING';
  last_accessed_at: string | null;
  /**
   * Its media type.
   */
  file_type: string | null;
  chat_file_type: 'image' | 'document' | 'plain_text' | 'csv';
  token_count: number | null;
  chunk_count: number | null;
  /**
   * Why it FAILED.
   */
  error: string | null;
}
