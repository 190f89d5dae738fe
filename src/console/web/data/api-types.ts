// Made by `npm run client:types` from the OpenAPI description of this service. Do not edit.

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

/**
 * What each endpoint takes and answers.
 */
export interface Operations {
  'DELETE /account/api-keys/{id}': {
    reply: {
      status: 'deleted';
      id: string;
    };
  };
  'DELETE /account/invitations/{id}': {
    reply: any;
    body?: any;
    query?: any;
  };
  'DELETE /account/members/{id}': {
    reply: {
      status: 'deleted';
      user_id: string;
    };
  };
  'DELETE /chat/delete-chat-session/{id}': {
    reply: null;
    query: {
      hard_delete?: string;
    };
  };
  'DELETE /service-api/ingestion/{document_id}': {
    reply: {
      document_id: string;
      status: 'deleting';
    };
  };
  'DELETE /session/sessions': {
    reply: any;
    body?: any;
    query?: any;
  };
  'DELETE /session/sessions/{id}': {
    reply: any;
    body?: any;
    query?: any;
  };
  'DELETE /webhook-endpoints/{id}': {
    reply: {
      status: 'deleted';
      id: string;
    };
  };
  'GET /account/api-keys': {
    reply: {
      api_keys: {
        id: string;
        name: string;
        role: 'admin' | 'member' | 'ingest' | 'read';
        prefix: string;
        created_at: string;
        expires_at: string | null;
        last_four: string;
        last_used_at: string | null;
      }[];
      total: number;
    };
  };
  'GET /account/invitations': {
    reply: any;
    body?: any;
    query?: any;
  };
  'GET /account/members': {
    reply: {
      members: {
        user_id: string;
        display_name: string;
        email: string | null;
        /**
         * Of its valid keys; empty when it has none.
         */
        roles: ('admin' | 'member' | 'ingest' | 'read')[];
        created_at: string;
        /**
         * The account that the workspace began with.
         */
        is_owner: boolean;
      }[];
      total: number;
      /**
       * Members that the plan has room for, the owner included; 2147483647: any.
       */
      seats: number;
    };
  };
  'GET /chat/chat-session/{chat_session_id}/resume-stream': {
    reply: unknown;
    query: {
      cursor?: number;
    };
  };
  'GET /chat/get-chat-session/{id}': {
    reply: ChatSessionDetailResponse;
    query: {
      is_shared?: string;
      include_deleted?: string;
    };
  };
  'GET /chat/get-user-chat-sessions': {
    reply: {
      sessions: ChatSession[];
      has_more: boolean;
    };
    query: {
      project_id?: number;
      only_non_project_chats?: string;
      include_failed_chats?: string;
      page_size?: number;
      before?: string;
    };
  };
  'GET /service-api/ingestion': {
    reply: {
      documents: DocumentStatus[];
      next_cursor: string | null;
    };
    query: {
      status?: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
      source?: string;
      cc_pair_id?: number;
      limit?: number;
      cursor?: string;
    };
  };
  'GET /service-api/ingestion/stats': {
    reply: {
      counts: {
        [k: string]: number;
      };
      /**
       * Indexed, over the last minute.
       */
      documents_per_second: number;
      oldest_pending_seconds: number | null;
      /**
       * 0 when nothing waits; null when nothing was indexed in the last minute.
       */
      estimated_seconds_to_drain: number | null;
    };
  };
  'GET /service-api/ingestion/{document_id}': {
    reply: DocumentStatus;
  };
  'GET /service-api/ingestion/{document_id}/chunks': {
    reply: {
      chunks: {
        /**
         * Its place, which hits call chunk_ind.
         */
        ordinal: number;
        section_index: number;
        text: string;
        headings: string[];
        link: string | null;
        token_count: number;
      }[];
      next_from: number | null;
    };
    query: {
      from?: number;
      limit?: number;
    };
  };
  'GET /session': {
    reply: any;
    body?: any;
    query?: any;
  };
  'GET /session/sessions': {
    reply: any;
    body?: any;
    query?: any;
  };
  'GET /session/sign-in-options': {
    reply: any;
    body?: any;
    query?: any;
  };
  'GET /webhook-deliveries': {
    reply: {
      deliveries: WebhookDelivery[];
      next_cursor: string | null;
    };
    query: {
      endpoint_id?: string;
      event_id?: string;
      event_type?:
        | 'checkout.session.completed'
        | 'customer.subscription.deleted'
        | 'document.indexed'
        | 'document.failed'
        | 'connector.sync.completed'
        | 'connector.sync.failed'
        | 'lead_scrape.completed'
        | 'email_account.verified'
        | 'webhook.endpoint.disabled'
        | 'ping';
      status?: 'pending' | 'delivering' | 'delivered' | 'waiting' | 'exhausted' | 'canceled';
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
    };
  };
  'GET /webhook-deliveries/{id}': {
    reply: WebhookDelivery;
  };
  'GET /webhook-deliveries/{id}/attempts': {
    reply: {
      attempts: WebhookAttempt[];
    };
  };
  'GET /webhook-endpoints': {
    reply: {
      webhook_endpoints: WebhookEndpoint[];
      total: number;
    };
  };
  'GET /webhook-endpoints/{id}': {
    reply: WebhookEndpoint;
  };
  'GET /webhook-event-types': {
    reply: {
      event_types: WebhookEventType[];
    };
  };
  'GET /webhook-events/{id}': {
    reply: WebhookEvent;
  };
  'PATCH /account/members/{id}': {
    reply: any;
    body?: any;
    query?: any;
  };
  'PATCH /session/person': {
    reply: any;
    body?: any;
    query?: any;
  };
  'PATCH /webhook-endpoints/{id}': {
    reply: WebhookEndpoint;
    body: WebhookEndpointChange;
  };
  'POST /account/api-keys': {
    reply: {
      id: string;
      name: string;
      role: 'admin' | 'member' | 'ingest' | 'read';
      prefix: string;
      created_at: string;
      expires_at: string | null;
      key: string;
    };
    body: {
      name: string;
      role: 'admin' | 'member' | 'ingest' | 'read';
      expires_in_days?: number | null;
    };
  };
  'POST /account/invitations': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /auth/change-password': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /auth/request-password-reset': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /auth/reset-password': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /auth/sign-in/email': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /auth/sign-in/social': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /auth/sign-out': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /chat/send-chat-message': {
    reply: ChatFullResponse;
    body: ChatRequest;
  };
  'POST /chat/stop-chat-session/{chat_session_id}': {
    reply: {
      message: string;
    };
  };
  'POST /service-api/ingestion/{document_id}/retry': {
    reply: {
      document_id: string;
      status: 'accepted';
    };
  };
  'POST /session/invitation': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /session/invitation/accept': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /session/owner': {
    reply: any;
    body?: any;
    query?: any;
  };
  'POST /webhook-deliveries/{id}/resend': {
    reply: WebhookDelivery;
    body: {} | null;
  };
  'POST /webhook-endpoints': {
    reply: {
      id: string;
      url: string;
      description: string;
      /**
       * null: every type but those that must be named.
       */
      event_types: string[] | null;
      enabled: boolean;
      /**
       * Deliveries a minute; null for no limit.
       */
      rate_limit: number | null;
      created_at: string;
      updated_at: string;
      disabled_reason: string | null;
      disabled_at: string | null;
      /**
       * While a rotation is under way: until then the secret before signs, too.
       */
      previous_secret_valid_until: string | null;
      health: {
        /**
         * failing: the last attempts failed. open: so many failed that nothing is sent until next_probe_at, when one delivery probes it.
         */
        state: 'healthy' | 'failing' | 'open' | 'disabled';
        /**
         * The first failure since the last success.
         */
        failing_since: string | null;
        /**
         * Since the last success.
         */
        failures: number;
        /**
         * Exact to five seconds.
         */
        last_success_at: string | null;
        last_failure_at: string | null;
        next_probe_at: string | null;
      };
      /**
       * `whsec_…`: signs every delivery. It is shown this once; keep it like a password.
       */
      secret: string;
    };
    body: NewWebhookEndpoint;
  };
  'POST /webhook-endpoints/{id}/recover': {
    reply: {
      matched: {
        failed: number;
        missing: number;
      };
      recovered: number;
      dry_run: boolean;
    };
    body: {
      /**
       * Events from then on, as far back as events are kept.
       */
      since: string;
      /**
       * Events before then; now unless told.
       */
      until?: string | null;
      /**
       * Only events of these types.
       */
      event_types?:
        | (
            | 'checkout.session.completed'
            | 'customer.subscription.deleted'
            | 'document.indexed'
            | 'document.failed'
            | 'connector.sync.completed'
            | 'connector.sync.failed'
            | 'lead_scrape.completed'
            | 'email_account.verified'
            | 'webhook.endpoint.disabled'
            | 'ping'
          )[]
        | null;
      /**
       * Count only.
       */
      dry_run?: boolean;
    };
  };
  'POST /webhook-endpoints/{id}/rotate-secret': {
    reply: {
      id: string;
      /**
       * `whsec_…`: signs every delivery. It is shown this once; keep it like a password.
       */
      secret: string;
      previous_secret_valid_until: string | null;
    };
    body: {
      /**
       * How long the secret before this one signs, too; 0 ends it at once.
       */
      grace_period_seconds?: number;
    } | null;
  };
  'POST /webhook-endpoints/{id}/test': {
    reply: {
      event_id: string;
      delivery_id: number;
      status_url: string;
    };
    body: {} | null;
  };
  'PUT /chat/rename-chat-session': {
    reply: {
      new_name: string;
    };
    body: {
      chat_session_id: string;
      name?: string | null;
    };
  };
  'PUT /session/workspace': {
    reply: any;
    body?: any;
    query?: any;
  };
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
export interface CitationInfo {
  type: 'citation_info';
  citation_number: number;
  document_id: string;
}
export interface GeneratedImage {
  file_id: string;
  url: string;
  revised_prompt: string;
  shape: ('square' | 'portrait' | 'landscape') | null;
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
export interface DocumentStatus {
  document_id: string;
  semantic_identifier: string;
  source: string;
  link: string | null;
  status: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
  revision: number;
  indexed_revision: number | null;
  chunk_count: number;
  attempts: number;
  error: string | null;
  next_attempt_at: string | null;
  cc_pair_ids: number[];
  created_at: string;
  accepted_at: string;
  indexing_started_at: string | null;
  indexed_at: string | null;
  timings: {
    /**
     * From acceptance to the start of indexing.
     */
    queued_ms: number | null;
    indexing_ms: number | null;
    /**
     * From acceptance to searchable.
     */
    total_ms: number | null;
  };
  status_url: string;
}
export interface WebhookDelivery {
  id: number;
  /**
   * The `webhook-id` that the receiver sees on every attempt.
   */
  event_id: string;
  event_type: string;
  /**
   * The endpoint may be deleted by now.
   */
  endpoint_id: string;
  status: 'pending' | 'delivering' | 'delivered' | 'waiting' | 'exhausted' | 'canceled';
  /**
   * Those that counted: failures on our side do not.
   */
  attempts: number;
  /**
   * 1 at first; each resend or recovery begins another one.
   */
  round: number;
  next_attempt_at: string | null;
  last_status_code: number | null;
  /**
   * Why the last attempt failed, or why nothing is sent any more.
   */
  error: string | null;
  created_at: string;
  /**
   * The first success.
   */
  delivered_at: string | null;
  /**
   * When it became delivered, exhausted or canceled.
   */
  finished_at: string | null;
}
export interface WebhookAttempt {
  id: number;
  round: number;
  /**
   * interrupted: whether the receiver was reached is not known.
   */
  outcome: 'delivered' | 'failed' | 'interrupted';
  /**
   * false: it failed on our side and spends none of the attempts.
   */
  counts: boolean;
  status_code: number | null;
  error_class: string | null;
  error: string | null;
  /**
   * The beginning of the receiver's answer.
   */
  answer: string | null;
  duration_ms: number;
  started_at: string;
}
export interface WebhookEndpoint {
  id: string;
  url: string;
  description: string;
  /**
   * null: every type but those that must be named.
   */
  event_types: string[] | null;
  enabled: boolean;
  /**
   * Deliveries a minute; null for no limit.
   */
  rate_limit: number | null;
  created_at: string;
  updated_at: string;
  disabled_reason: string | null;
  disabled_at: string | null;
  /**
   * While a rotation is under way: until then the secret before signs, too.
   */
  previous_secret_valid_until: string | null;
  health: {
    /**
     * failing: the last attempts failed. open: so many failed that nothing is sent until next_probe_at, when one delivery probes it.
     */
    state: 'healthy' | 'failing' | 'open' | 'disabled';
    /**
     * The first failure since the last success.
     */
    failing_since: string | null;
    /**
     * Since the last success.
     */
    failures: number;
    /**
     * Exact to five seconds.
     */
    last_success_at: string | null;
    last_failure_at: string | null;
    next_probe_at: string | null;
  };
}
export interface WebhookEventType {
  type:
    | 'checkout.session.completed'
    | 'customer.subscription.deleted'
    | 'document.indexed'
    | 'document.failed'
    | 'connector.sync.completed'
    | 'connector.sync.failed'
    | 'lead_scrape.completed'
    | 'email_account.verified'
    | 'webhook.endpoint.disabled'
    | 'ping';
  summary: string;
  /**
   * An endpoint gets it only when its event_types name it.
   */
  opt_in: boolean;
  /**
   * JSON Schema of `data`.
   */
  data_schema: {
    [k: string]: unknown;
  };
}
export interface WebhookEvent {
  id: string;
  type: string;
  /**
   * When it happened: the timestamp of the payload, or created_at once that was expunged.
   */
  timestamp: string;
  /**
   * When it was stored: since and until go by it.
   */
  created_at: string;
  /**
   * What is posted to the endpoints; null once it was expunged.
   */
  payload: {
    id: string;
    type: string;
    timestamp: string;
    data: {
      [k: string]: unknown;
    };
  } | null;
  deliveries: WebhookDelivery[];
}
export interface WebhookEndpointChange {
  /**
   * https://, any port, no user name, no fragment. http:// only for ranges that the operator has opened. Redirects are never followed.
   */
  url?: string;
  description?: string | null;
  /**
   * What the endpoint gets; null for everything but document.indexed and document.failed, which must be named.
   */
  event_types?:
    | (
        | 'checkout.session.completed'
        | 'customer.subscription.deleted'
        | 'document.indexed'
        | 'document.failed'
        | 'connector.sync.completed'
        | 'connector.sync.failed'
        | 'lead_scrape.completed'
        | 'email_account.verified'
        | 'webhook.endpoint.disabled'
        | 'ping'
      )[]
    | null;
  enabled?: boolean;
  /**
   * Deliveries a minute; null for no limit.
   */
  rate_limit?: number | null;
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
export interface NewWebhookEndpoint {
  /**
   * https://, any port, no user name, no fragment. http:// only for ranges that the operator has opened. Redirects are never followed.
   */
  url: string;
  description?: string | null;
  /**
   * What the endpoint gets; null for everything but document.indexed and document.failed, which must be named.
   */
  event_types?:
    | (
        | 'checkout.session.completed'
        | 'customer.subscription.deleted'
        | 'document.indexed'
        | 'document.failed'
        | 'connector.sync.completed'
        | 'connector.sync.failed'
        | 'lead_scrape.completed'
        | 'email_account.verified'
        | 'webhook.endpoint.disabled'
        | 'ping'
      )[]
    | null;
  enabled?: boolean;
  /**
   * Deliveries a minute; null for no limit.
   */
  rate_limit?: number | null;
}
