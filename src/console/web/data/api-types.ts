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
export type NewBounceMailbox =
  | {
      kind: 'imap';
      /**
       * The only sender account whose messages come back here; the mailbox is deleted with it. Null: all accounts of the workspace.
       */
      email_account_id?: string | null;
      /**
       * The IMAP or POP3 server, such as imap.example.com.
       */
      host: string;
      /**
       * 993 or 143 for IMAP, 995 or 110 for POP3; others are refused. The default follows use_tls.
       */
      port?: number;
      /**
       * true: TLS from the start. false: STARTTLS, which is then required. The default follows port.
       */
      use_tls?: boolean;
      /**
       * The user name, often the whole address.
       */
      username: string;
      /**
       * Stored encrypted and never shown. Many providers require an app password.
       */
      password: string;
      /**
       * Full name of the folder to read. Null: the inbox.
       */
      folder?: string | null;
    }
  | {
      kind: 'pop3';
      /**
       * The only sender account whose messages come back here; the mailbox is deleted with it. Null: all accounts of the workspace.
       */
      email_account_id?: string | null;
      /**
       * The IMAP or POP3 server, such as imap.example.com.
       */
      host: string;
      /**
       * 993 or 143 for IMAP, 995 or 110 for POP3; others are refused. The default follows use_tls.
       */
      port?: number;
      /**
       * true: TLS from the start. false: STARTTLS, which is then required. The default follows port.
       */
      use_tls?: boolean;
      /**
       * The user name, often the whole address.
       */
      username: string;
      /**
       * Stored encrypted and never shown. Many providers require an app password.
       */
      password: string;
    }
  | {
      kind: 'webhook';
      /**
       * The only sender account whose messages come back here; the mailbox is deleted with it. Null: all accounts of the workspace.
       */
      email_account_id?: string | null;
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
    reply: {
      status: 'deleted';
      id: string;
    };
  };
  'DELETE /account/members/{id}': {
    reply: {
      status: 'deleted';
      user_id: string;
    };
  };
  'DELETE /bounce-mailboxes/{id}': {
    reply: {
      status: 'deleted';
      id: string;
    };
  };
  'DELETE /chat/delete-chat-session/{id}': {
    reply: null;
    query: {
      hard_delete?: string;
    };
  };
  'DELETE /email-accounts/{id}': {
    reply: {
      status: 'deleted';
      email: string;
      default_deleted: boolean;
      /**
       * What to do when the default was deleted.
       */
      message?: string;
    };
  };
  'DELETE /manage/admin/document-set/{id}': {
    reply: null;
  };
  'DELETE /manage/credential/{id}': {
    reply: StatusResponse;
  };
  'DELETE /service-api/ingestion/{document_id}': {
    reply: {
      document_id: string;
      status: 'deleting';
    };
  };
  'DELETE /session/sessions': {
    reply: {
      status: 'deleted';
      count: number;
    };
  };
  'DELETE /session/sessions/{id}': {
    reply: {
      status: 'deleted';
      id: string;
    };
  };
  'DELETE /tools/lead-scraper/{scrape_id}': {
    reply: {
      status: 'deleted';
      scrape_id: string;
    };
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
        role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
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
    reply: {
      invitations: {
        id: string;
        email: string;
        role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
        created_at: string;
        expires_at: string;
        /**
         * A display name.
         */
        invited_by: string | null;
      }[];
      total: number;
    };
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
        roles: ('admin' | 'member' | 'ingest' | 'read' | 'observer')[];
        /**
         * Of the sessions of its person; null for an account that only has keys.
         */
        sign_in_role: ('admin' | 'member' | 'ingest' | 'read' | 'observer') | null;
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
  'GET /bounce-mailboxes': {
    reply: {
      bounce_mailboxes: BounceMailbox[];
      total: number;
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
  'GET /documents/count': {
    reply: {
      documents: number;
      /**
       * Failed ones that the caller may change.
       */
      retryable: number;
      deletable: number;
    };
    query: {
      status?: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
      source?: string;
      cc_pair_id?: number;
      document_set?: string;
      q?: string;
    };
  };
  'GET /documents/filters': {
    reply: {
      sources: {
        source: string;
        documents: number;
      }[];
      connectors: {
        cc_pair_id: number;
        name: string;
        source: string;
      }[];
      document_sets: string[];
    };
  };
  'GET /documents/{document_id}/why': {
    reply: {
      document_id: string;
      searchable: boolean;
      status: string;
      sentence: string;
      since: string;
    };
  };
  'GET /email-accounts': {
    reply: {
      accounts: EmailAccount[];
      total: number;
    };
  };
  'GET /email-accounts/{id}': {
    reply: EmailAccount;
  };
  'GET /email-messages': {
    reply: {
      messages: EmailMessage[];
      next_cursor: string | null;
    };
    query: {
      email_account_id?: string;
      status?: 'queued' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained';
      kind?: 'message' | 'verification';
      limit?: number;
      cursor?: string;
    };
  };
  'GET /find': {
    reply: {
      results: {
        kind: string;
        id: string;
        title: string;
        state: string | null;
        detail: string | null;
        at: string | null;
        subject: {
          kind: string;
          id: string;
        };
      }[];
    };
    query: {
      q?: string;
    };
  };
  'GET /gamification/actions': {
    reply: {
      actions: {
        action_type: 'login' | 'search' | 'message' | 'share' | 'scrape' | 'outreach';
        points: number;
        streak_impact: number;
        /**
         * Awards in one day of your calendar.
         */
        daily_cap: number;
        awarded_today: number;
        remaining_today: number;
      }[];
      lucky_find: {
        /**
         * Of each award to be one.
         */
        probability: number;
        /**
         * Yours so far.
         */
        found: number;
      };
      /**
       * An action posted within this time of an award of the service for it claims that award.
       */
      claim_window_seconds: number;
    };
  };
  'GET /gamification/status': {
    reply: {
      user_id: string;
      points: number;
      current_streak: number;
      longest_streak: number;
      achievements_unlocked: string[];
      next_milestone: string;
      progress_to_next: number;
    };
  };
  'GET /manage/admin/cc-pair/{id}': {
    reply: CCPairFullInfo;
  };
  'GET /manage/admin/cc-pair/{id}/errors': {
    reply: {
      items: IndexAttemptError[];
      total_items: number;
    };
    query: {
      page_num?: number;
      page_size?: number;
      include_resolved?: string;
    };
  };
  'GET /manage/admin/cc-pair/{id}/index-attempts': {
    reply: {
      items: IndexAttemptSnapshot[];
      total_items: number;
    };
    query: {
      page_num?: number;
      page_size?: number;
    };
  };
  'GET /manage/admin/cc-pair/{id}/prune-attempts': {
    reply: {
      items: PruneAttemptSnapshot[];
      total_items: number;
    };
    query: {
      page_num?: number;
      page_size?: number;
    };
  };
  'GET /manage/admin/connector-kinds': {
    reply: ConnectorKind[];
  };
  'GET /manage/admin/connector/status': {
    reply: ConnectorStatus[];
  };
  'GET /manage/admin/credential': {
    reply: CredentialSnapshot[];
  };
  'GET /manage/admin/workspaces': {
    reply: {
      workspaces: {
        id: string;
        name: string;
        plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
        base_plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
        is_bootstrap: boolean;
        members: number;
        created_at: string;
      }[];
      /**
       * Of all workspaces, those of other pages too.
       */
      total: number;
    };
    query: {
      limit?: number;
      offset?: number;
    };
  };
  'GET /manage/document-set': {
    reply: DocumentSet[];
  };
  'GET /operations/alarms': {
    reply: {
      alarms: {
        id: string;
        queue: string;
        kind: 'no_worker' | 'stuck' | 'falling_behind';
        message: string;
        since: string;
        raised_at: string;
        cleared_at: string | null;
      }[];
      next_cursor: string | null;
    };
    query: {
      state?: 'open' | 'all';
      cursor?: string;
    };
  };
  'GET /operations/audit': {
    reply: {
      actions: {
        id: string;
        at: string;
        by: {
          user_id: string | null;
          name: string;
          key_id: string | null;
        };
        action: string;
        queue: string | null;
        detail: {
          [k: string]: unknown;
        };
        request_id: string | null;
      }[];
      /**
       * Who has acted so far, at most 200.
       */
      actors: {
        user_id: string;
        name: string;
      }[];
      /**
       * Of all queues, to choose one.
       */
      queues: string[];
      next_cursor: string | null;
    };
    query: {
      queue?: string;
      user_id?: string;
      cursor?: string;
    };
  };
  'GET /operations/queues': {
    reply: {
      at: string;
      range: string;
      queues: {
        name: string;
        /**
         * Housekeeping runs on a schedule.
         */
        kind: 'work' | 'housekeeping';
        does: string;
        counts_from: 'rows' | 'jobs';
        /**
         * Due and not taken; at most 100,000.
         */
        waiting: number;
        active: number;
        delayed: number;
        /**
         * Failed for good in the range.
         */
        failed: number;
        /**
         * Null when nothing failed in the range.
         */
        failures: {
          first_at: string;
          /**
           * The message of most of the latest failures; ids and numbers are replaced by ….
           */
          message: string;
          /**
           * Whether all failures have this message.
           */
          is_all: boolean;
        } | null;
        /**
         * How long the oldest is due; null when none is.
         */
        oldest_seconds: number | null;
        /**
         * Attempts that finished in the last full minute.
         */
        per_minute: number;
        failures_per_minute: number;
        /**
         * In milliseconds, to within a fifth; null when nothing ran.
         */
        wait_ms: {
          p50: number;
          p95: number;
        } | null;
        /**
         * In milliseconds, to within a fifth; null when nothing ran.
         */
        run_ms: {
          p50: number;
          p95: number;
        } | null;
        /**
         * Processes that serve it and are alive.
         */
        workers: number;
        paused: {
          at: string;
          by: {
            user_id: string | null;
            name: string;
          };
          reason: string | null;
        } | null;
        alarms: {
          id: string;
          queue: string;
          kind: 'no_worker' | 'stuck' | 'falling_behind';
          message: string;
          since: string;
          raised_at: string;
          cleared_at: string | null;
        }[];
        /**
         * The last 60 full minutes, oldest first.
         */
        minutes: {
          finished: number;
          failed: number;
        }[];
      }[];
    };
    query: {
      range?: 'hour' | 'day' | 'month';
    };
  };
  'GET /operations/queues/{queue}': {
    reply: {
      name: string;
      /**
       * Housekeeping runs on a schedule.
       */
      kind: 'work' | 'housekeeping';
      does: string;
      counts_from: 'rows' | 'jobs';
      /**
       * Due and not taken; at most 100,000.
       */
      waiting: number;
      active: number;
      delayed: number;
      /**
       * Failed for good in the range.
       */
      failed: number;
      /**
       * Null when nothing failed in the range.
       */
      failures: {
        first_at: string;
        /**
         * The message of most of the latest failures; ids and numbers are replaced by ….
         */
        message: string;
        /**
         * Whether all failures have this message.
         */
        is_all: boolean;
      } | null;
      /**
       * How long the oldest is due; null when none is.
       */
      oldest_seconds: number | null;
      /**
       * Attempts that finished in the last full minute.
       */
      per_minute: number;
      failures_per_minute: number;
      /**
       * In milliseconds, to within a fifth; null when nothing ran.
       */
      wait_ms: {
        p50: number;
        p95: number;
      } | null;
      /**
       * In milliseconds, to within a fifth; null when nothing ran.
       */
      run_ms: {
        p50: number;
        p95: number;
      } | null;
      /**
       * Processes that serve it and are alive.
       */
      workers: number;
      paused: {
        at: string;
        by: {
          user_id: string | null;
          name: string;
        };
        reason: string | null;
      } | null;
      alarms: {
        id: string;
        queue: string;
        kind: 'no_worker' | 'stuck' | 'falling_behind';
        message: string;
        since: string;
        raised_at: string;
        cleared_at: string | null;
      }[];
      /**
       * The last 60 full minutes, oldest first.
       */
      minutes: {
        finished: number;
        failed: number;
      }[];
      at: string;
      history: {
        step_seconds: number;
        points: {
          at: string;
          finished: number;
          failed: number;
          retried: number;
          /**
           * In milliseconds, to within a fifth; null when nothing ran.
           */
          wait_ms: {
            p50: number;
            p95: number;
          } | null;
          /**
           * In milliseconds, to within a fifth; null when nothing ran.
           */
          run_ms: {
            p50: number;
            p95: number;
          } | null;
          oldest_seconds: number | null;
        }[];
      };
      active_jobs: {
        queue: string;
        job_id: string;
        attempt: number;
        since: string;
        request_id: string | null;
        subjects: {
          kind: string;
          id: string;
          /**
           * Null when the row is gone.
           */
          workspace_id: string | null;
          /**
           * The page that shows it; null when it is in another workspace or has no page.
           */
          page: {
            kind: string;
            id: string;
          } | null;
        }[];
        worker_id: string;
      }[];
      settings: {
        attempts: number;
        timeout_seconds: number;
        every_seconds: number | null;
        /**
         * Of one process, without settings.
         */
        concurrency: number;
      };
    };
    query: {
      range?: 'hour' | 'day' | 'month';
    };
  };
  'GET /operations/queues/{queue}/failures': {
    reply: {
      range: string;
      total: number;
      retryable: boolean;
      why_not: string | null;
      groups: {
        /**
         * Names the group for a retry.
         */
        group: string;
        /**
         * Ids, numbers, addresses and quoted names are replaced by ….
         */
        message: string;
        count: number;
        first_at: string;
        last_at: string;
        example: {
          id: string;
          workspace_id: string | null;
          message: string;
          attempts: number;
          at: string;
          /**
           * Only for failed jobs without a row.
           */
          stack: string | null;
          subject: {
            kind: string;
            id: string;
            /**
             * Null when the row is gone.
             */
            workspace_id: string | null;
            /**
             * The page that shows it; null when it is in another workspace or has no page.
             */
            page: {
              kind: string;
              id: string;
            } | null;
          };
        };
      }[];
      /**
       * Left out of the list.
       */
      other_groups: number;
    };
    query: {
      range?: 'hour' | 'day' | 'month';
    };
  };
  'GET /operations/queues/{queue}/failures/{group}': {
    reply: {
      failures: {
        id: string;
        workspace_id: string | null;
        message: string;
        attempts: number;
        at: string;
        /**
         * Only for failed jobs without a row.
         */
        stack: string | null;
        subject: {
          kind: string;
          id: string;
          /**
           * Null when the row is gone.
           */
          workspace_id: string | null;
          /**
           * The page that shows it; null when it is in another workspace or has no page.
           */
          page: {
            kind: string;
            id: string;
          } | null;
        };
      }[];
      next_cursor: string | null;
    };
    query: {
      range?: 'hour' | 'day' | 'month';
      cursor?: number;
    };
  };
  'GET /operations/queues/{queue}/jobs': {
    reply: {
      state: 'waiting' | 'active' | 'delayed' | 'failed' | 'completed';
      total: number;
      jobs: {
        queue: string;
        job_id: string;
        state: 'waiting' | 'active' | 'delayed' | 'failed' | 'completed' | 'unknown';
        /**
         * Attempts started.
         */
        attempts: number;
        max_attempts: number;
        added_at: string;
        due_at: string;
        /**
         * When the last attempt started.
         */
        taken_at: string | null;
        finished_at: string | null;
        /**
         * Error of the last failed attempt.
         */
        error: string | null;
        request_id: string | null;
        /**
         * Null when its request was not traced.
         */
        trace_id: string | null;
        /**
         * The rows that the job is about, at most 10.
         */
        subjects: {
          kind: string;
          id: string;
          /**
           * Null when the row is gone.
           */
          workspace_id: string | null;
          /**
           * The page that shows it; null when it is in another workspace or has no page.
           */
          page: {
            kind: string;
            id: string;
          } | null;
        }[];
      }[];
      next_cursor: string | null;
    };
    query: {
      state?: 'waiting' | 'active' | 'delayed' | 'failed' | 'completed';
      cursor?: number;
    };
  };
  'GET /operations/queues/{queue}/jobs/{job_id}': {
    reply: {
      queue: string;
      job_id: string;
      state: 'waiting' | 'active' | 'delayed' | 'failed' | 'completed' | 'unknown';
      /**
       * Attempts started.
       */
      attempts: number;
      max_attempts: number;
      added_at: string;
      due_at: string;
      /**
       * When the last attempt started.
       */
      taken_at: string | null;
      finished_at: string | null;
      /**
       * Error of the last failed attempt.
       */
      error: string | null;
      request_id: string | null;
      /**
       * Null when its request was not traced.
       */
      trace_id: string | null;
      /**
       * The rows that the job is about, at most 10.
       */
      subjects: {
        kind: string;
        id: string;
        /**
         * Null when the row is gone.
         */
        workspace_id: string | null;
        /**
         * The page that shows it; null when it is in another workspace or has no page.
         */
        page: {
          kind: string;
          id: string;
        } | null;
      }[];
      /**
       * Ids.
       */
      payload: {
        [k: string]: unknown;
      };
      /**
       * Events, oldest first.
       */
      events: {
        /**
         * Null when unknown.
         */
        at: string | null;
        kind: 'added' | 'due' | 'attempt' | 'interrupted' | 'taken' | 'completed' | 'failed';
        attempt: number | null;
        duration_ms: number | null;
        error: string | null;
        stack: string | null;
      }[];
    };
  };
  'GET /operations/repairs': {
    reply: {
      totals: {
        queue: string;
        rows: number;
        last_at: string;
      }[];
      /**
       * The latest 500, newest first.
       */
      repairs: {
        at: string;
        queue: string;
        rows: number;
      }[];
    };
    query: {
      range?: 'hour' | 'day' | 'month';
    };
  };
  'GET /operations/schedules': {
    reply: {
      schedules: {
        name: string;
        does: string;
        every_seconds: number;
        next_at: string | null;
        /**
         * When a run ended last.
         */
        last_at: string | null;
        /**
         * As of the last heartbeat.
         */
        running: boolean;
        paused: boolean;
      }[];
    };
  };
  'GET /operations/workers': {
    reply: {
      at: string;
      beat_seconds: number;
      workers: {
        id: string;
        host: string;
        pid: number;
        version: string;
        started_at: string;
        beat_at: string;
        alive: boolean;
        queues: {
          name: string;
          concurrency: number;
          active: number;
        }[];
        /**
         * At most 50, longest first.
         */
        jobs: {
          queue: string;
          job_id: string;
          attempt: number;
          since: string;
          request_id: string | null;
          subjects: {
            kind: string;
            id: string;
            /**
             * Null when the row is gone.
             */
            workspace_id: string | null;
            /**
             * The page that shows it; null when it is in another workspace or has no page.
             */
            page: {
              kind: string;
              id: string;
            } | null;
          }[];
        }[];
      }[];
      /**
       * Queues without a living worker.
       */
      unserved: string[];
    };
  };
  'GET /overview': {
    reply: {
      at: string;
      documents: {
        accepted: number;
        indexing: number;
        indexed: number;
        failed: number;
        deleting: number;
        indexed_per_minute: number;
        oldest_pending_seconds: number | null;
      };
      searches_per_minute: number;
      answers_per_minute: number;
      deliveries: {
        pending: number;
        delivered_last_day: number;
        failed_last_day: number;
      };
      failures_last_day: {
        kind: string;
        count: number;
        last_at: string;
      }[];
      /**
       * Of each of the last 60 minutes, oldest first.
       */
      minutes: {
        indexed: number[];
        searches: number[];
      };
      /**
       * Of each of the last 24 hours, oldest first.
       */
      failures_by_hour: number[];
      attention: {
        level: 'danger' | 'warning';
        kind: string;
        text: string;
        since: string;
        subject: {
          kind: string;
          id: string;
        };
      }[];
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
      document_set?: string;
      q?: string;
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
    reply: Session;
  };
  'GET /session/sessions': {
    reply: {
      sessions: {
        id: string;
        created_at: string;
        /**
         * To the hour.
         */
        last_used_at: string;
        expires_at: string;
        ip_address: string | null;
        user_agent: string | null;
        is_current: boolean;
      }[];
    };
  };
  'GET /session/sign-in-options': {
    reply: {
      password: true;
      password_min_length: number;
      /**
       * Whether a reset link can be mailed.
       */
      password_reset: boolean;
      /**
       * Whether anybody may sign up.
       */
      sign_up: boolean;
      /**
       * False until the owner link was used.
       */
      has_owner: boolean;
      oidc: {
        name: string;
      } | null;
    };
  };
  'GET /subscription/status': {
    reply: {
      plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
      /**
       * active, trialing, past_due, unpaid, paused, incomplete, incomplete_expired or canceled, as Stripe has them; others may come.
       */
      status: string;
      /**
       * When the period of the subscription in force ends, else of the plan.
       */
      renewal_date: string;
      /**
       * In minor units: of the subscription in force, else of the plan. 0 for Enterprise without a subscription, whose price is agreed on.
       */
      amount_monthly: number;
      currency: string;
      trial_active: boolean;
      features: {
        /**
         * 2147483647 stands for no limit.
         */
        users: number;
        /**
         * 2147483647 stands for no limit.
         */
        storage_gb: number;
        /**
         * 2147483647 stands for no limit.
         */
        email_accounts: number;
        custom_domain: boolean;
        api_access: boolean;
      };
    };
  };
  'GET /subscription/usage': {
    reply: {
      /**
       * Members; open invitations count as well when one is added.
       */
      users: number;
      email_accounts: number;
      /**
       * Texts of documents, and files.
       */
      storage_bytes: number;
      /**
       * Whether this service takes any.
       */
      card_payments: boolean;
    };
  };
  'GET /tools/lead-scraper': {
    reply: {
      scrapes: LeadScrape[];
      next_cursor: string | null;
    };
    query: {
      status?: 'queued' | 'running' | 'completed' | 'failed' | 'canceled';
      mode?: 'keyword_search' | 'scrape_url';
      limit?: number;
      cursor?: string;
    };
  };
  'GET /tools/lead-scraper/{scrape_id}': {
    reply: {
      scrape_id: string;
      mode: 'keyword_search' | 'scrape_url';
      /**
       * The words or the address; for several addresses, the first and the number of others.
       */
      query: string;
      /**
       * The addresses, if the request named several.
       */
      urls: string[] | null;
      max_results: number;
      enrichment: ('email' | 'phone' | 'socials' | 'company_info' | 'other_socials')[];
      status: 'queued' | 'running' | 'completed' | 'failed' | 'canceled';
      /**
       * Who named the sites: `index`, `searxng` or `brave`; null for scrape_url.
       */
      provider: string | null;
      pages_done: number;
      /**
       * Leads so far.
       */
      total_results: number;
      error: string | null;
      processing_time_ms: number | null;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
      /**
       * When its leads are deleted.
       */
      expires_at: string | null;
      sites: {
        url: string;
        domain: string;
        /**
         * `partial`: pages that the site names could not be read, see `problems`.
         */
        status: 'pending' | 'done' | 'partial' | 'failed';
        pages: number;
        error: string | null;
        /**
         * The pages that could not be read, at most 21.
         */
        problems: {
          url: string;
          reason: string;
        }[];
      }[];
      /**
       * What may be missing, a sentence each, once the scrape has ended.
       */
      warnings: string[];
      leads: {
        id: string;
        /**
         * Of the person or the organisation. What is not known is an empty string.
         */
        name: string;
        /**
         * The person's role.
         */
        title: string;
        company: string;
        email: string;
        /**
         * E.164.
         */
        phone: string;
        website: string;
        socials: {
          linkedin: string;
          twitter: string;
        };
        /**
         * Only when `enrichment` asks for them.
         */
        other_socials?: {
          facebook: string;
          instagram: string;
        };
        /**
         * Domain of the site that lists this organisation or this person's employer; null if found on its own site.
         */
        found_on?: string;
        confidence_score: number;
        kind: 'person' | 'organization';
        /**
         * Whether the domain of the address takes mail; no mailbox is asked. Null when it was not looked up.
         */
        email_status: ('mx' | 'no_mx' | 'unknown') | null;
        address: {
          street: string;
          postal_code: string;
          locality: string;
          region: string;
          country: string;
        } | null;
        /**
         * The form of the organisation's personal addresses, with examples. Not an address to write to.
         */
        email_pattern: {
          pattern: string;
          examples: string[];
        } | null;
        /**
         * For each field its values, the best first, each with the pages and techniques that it was found by.
         */
        evidence: {
          [k: string]: {
            value: string;
            sources: {
              url: string;
              technique:
                | 'json-ld'
                | 'microdata'
                | 'rdfa'
                | 'h-card'
                | 'vcard'
                | 'mailto'
                | 'tel-link'
                | 'whatsapp'
                | 'cloudflare'
                | 'obfuscated'
                | 'visible-text'
                | 'meta'
                | 'team-card'
                | 'team-name'
                | 'member-card'
                | 'script-json'
                | 'profile-link'
                | 'page-title';
            }[];
          }[];
        };
      }[];
    };
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
        | 'email_message.bounced'
        | 'email_message.complained'
        | 'webhook.endpoint.disabled'
        | 'ops.alarm.raised'
        | 'ops.alarm.cleared'
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
    reply: {
      user_id: string;
      role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
    };
    body: {
      role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
    };
  };
  'PATCH /account/workspace': {
    reply: {
      id: string;
      name: string;
    };
    body: {
      name: string;
    };
  };
  'PATCH /bounce-mailboxes/{id}': {
    reply: BounceMailbox;
    body: BounceMailboxChange;
  };
  'PATCH /email-accounts/{id}': {
    reply: EmailAccount;
    body: EmailAccountChange;
  };
  'PATCH /manage/admin/connector/{id}': {
    reply: ConnectorSnapshot;
    body: ConnectorUpdateRequest;
  };
  'PATCH /manage/admin/document-set': {
    reply: null;
    body: {
      id: number;
      name?: string | null;
      description?: string | null;
      /**
       * @minItems 1
       * @maxItems 10000
       */
      cc_pair_ids: number[];
      /**
       * Ignored: every key of the workspace may use a set.
       */
      is_public?: boolean | null;
      /**
       * Ignored.
       */
      users?: unknown[] | null;
      /**
       * Ignored.
       */
      groups?: unknown[] | null;
      /**
       * Ignored.
       */
      federated_connectors?: unknown[] | null;
    };
  };
  'PATCH /manage/credential/{id}': {
    reply: CredentialSnapshot;
    body: {
      /**
       * The keys of the kind; GET /manage/admin/connector-kinds describes them.
       */
      credential_json: {
        [k: string]: unknown;
      };
      source?: string;
      name?: string | null;
      /**
       * Whether other admins may see and link it; true unless told.
       */
      admin_public?: boolean | null;
      curator_public?: boolean | null;
      /**
       * Ignored.
       */
      groups?: number[] | null;
    };
  };
  'PATCH /session/person': {
    reply: Session;
    body: {
      name: string;
    };
  };
  'PATCH /webhook-endpoints/{id}': {
    reply: WebhookEndpoint;
    body: WebhookEndpointChange;
  };
  'POST /account/api-keys': {
    reply: {
      id: string;
      name: string;
      role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
      prefix: string;
      created_at: string;
      expires_at: string | null;
      key: string;
    };
    body: {
      name: string;
      role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
      expires_in_days?: number | null;
    };
  };
  'POST /account/invitations': {
    reply: {
      id: string;
      email: string;
      role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
      created_at: string;
      expires_at: string;
      /**
       * Null when it was mailed.
       */
      link: string | null;
      mailed: boolean;
    };
    body: {
      email: string;
      /**
       * Of the sessions of the person.
       */
      role?: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
    };
  };
  'POST /auth/change-password': {
    reply: {
      status: true;
    };
    body: {
      currentPassword: string;
      newPassword: string;
    };
  };
  'POST /auth/request-password-reset': {
    reply: {
      status: true;
      message: string;
    };
    body: {
      email: string;
    };
  };
  'POST /auth/reset-password': {
    reply: {
      status: true;
    };
    body: {
      token: string;
      newPassword: string;
    };
  };
  'POST /auth/sign-in/email': {
    reply: Session;
    body: {
      email: string;
      password: string;
      /**
       * False: until the browser is closed.
       */
      rememberMe?: boolean;
    };
  };
  'POST /auth/sign-in/social': {
    reply: {
      /**
       * Send the browser there.
       */
      url: string;
      redirect: boolean;
    };
    body: {
      provider: 'oidc';
      /**
       * A path of the console, to which the browser comes back.
       */
      callbackURL?: string;
    };
  };
  'POST /auth/sign-out': {
    reply: {
      success: true;
    };
  };
  'POST /billing/checkout': {
    reply: {
      session_id: string;
      url: string;
    };
    body: {
      plan_tier: 'Personal' | 'Pro' | 'Agency';
      success_url?: string | null;
      cancel_url?: string | null;
    };
  };
  'POST /billing/portal': {
    reply: {
      url: string;
    };
    body: {
      return_url?: string | null;
    };
  };
  'POST /bounce-mailboxes': {
    reply: {
      id: string;
      kind: 'imap' | 'pop3' | 'webhook';
      email_account_id: string | null;
      host: string | null;
      port: number | null;
      use_tls: boolean | null;
      username: string | null;
      /**
       * Null: the inbox.
       */
      folder: string | null;
      /**
       * waiting: nothing read or posted yet. failing: see error.
       */
      status: 'waiting' | 'ok' | 'failing';
      error_class:
        | (
            | 'dns_error'
            | 'port_not_allowed'
            | 'connection_failed'
            | 'timeout'
            | 'tls_mode_mismatch'
            | 'tls_failed'
            | 'starttls_unavailable'
            | 'auth_failed'
            | 'folder_missing'
            | 'unsupported_server'
            | 'server_busy'
            | 'password_unreadable'
          )
        | null;
      /**
       * Why the last poll failed, and how to fix it.
       */
      error: string | null;
      last_polled_at: string | null;
      next_poll_at: string | null;
      /**
       * Number of messages ended by reports from here.
       */
      returned_total: number;
      last_returned_at: string | null;
      created_at: string;
      /**
       * For a webhook: a secret URL, shown only once. Null for a mailbox.
       */
      report_url: string | null;
    };
    body: NewBounceMailbox;
  };
  'POST /bounce-mailboxes/{id}/poll': {
    reply: BounceMailbox;
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
  'POST /documents/delete': {
    reply: {
      /**
       * Those that it applied to, and that the caller may change.
       */
      count: number;
    };
    body:
      | {
          /**
           * @minItems 1
           * @maxItems 1000
           */
          document_ids: string[];
        }
      | {
          /**
           * {} is every document.
           */
          matching: {
            status?: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
            source?: string;
            cc_pair_id?: number;
            /**
             * The name of a document set.
             */
            document_set?: string;
            /**
             * A part of the title or of the id, in any case.
             */
            q?: string;
          };
          /**
           * Of those that match, the oldest first. Ask again until count is 0.
           */
          limit?: number;
        };
  };
  'POST /documents/files': {
    reply: {
      results: (
        | {
            document_id: string;
            already_existed: boolean;
            status: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
            /**
             * Path of the document; ask it for the progress of indexing.
             */
            status_url: string;
            file_name: string;
          }
        | {
            error_code: string;
            detail: string;
            file_name: string;
          }
      )[];
      accepted: number;
      failed: number;
    };
  };
  'POST /documents/retry': {
    reply: {
      /**
       * Those that it applied to, and that the caller may change.
       */
      count: number;
    };
    body:
      | {
          /**
           * @minItems 1
           * @maxItems 1000
           */
          document_ids: string[];
        }
      | {
          /**
           * {} is every document.
           */
          matching: {
            status?: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
            source?: string;
            cc_pair_id?: number;
            /**
             * The name of a document set.
             */
            document_set?: string;
            /**
             * A part of the title or of the id, in any case.
             */
            q?: string;
          };
          /**
           * Of those that match, the oldest first. Ask again until count is 0.
           */
          limit?: number;
        };
  };
  'POST /email-accounts': {
    reply: {
      id: string;
      email: string;
      /**
       * A test message went out with the settings that it has.
       */
      verified: boolean;
      /**
       * The sender of outreach that names none.
       */
      default: boolean;
      created_at: string;
      /**
       * Messages a day: what was set, and never more than the plan allows.
       */
      daily_limit: number;
      /**
       * Today, verifications among them.
       */
      daily_sent: number;
      from_name: string;
      smtp_host: string;
      smtp_port: number;
      smtp_user: string;
      /**
       * IANA name; the days of the account begin and end by it.
       */
      time_zone: string;
      /**
       * When daily_sent is 0 again.
       */
      daily_resets_at: string;
      verified_at: string | null;
      /**
       * SPF, DKIM and DMARC of the sender’s domain as of the last verification, with what to publish. Null before the first.
       */
      deliverability: Deliverability | null;
      sending_pace: SendingPace;
      /**
       * Stands in the test message, to tell it from others. Shown this once.
       */
      verification_token: string;
    };
    body: NewEmailAccount;
  };
  'POST /email-accounts/{id}/set-default': {
    reply: {
      id: string;
      email: string;
      default: true;
    };
  };
  'POST /email-accounts/{id}/verify': {
    reply: EmailVerification;
    body: {
      /**
       * Gets the test message.
       */
      test_recipient: string;
    };
  };
  'POST /manage/admin/cc-pair/{id}/prune': {
    reply: StatusResponse;
    body: {
      confirm_prune_attempt_id?: number | null;
    } | null;
  };
  'POST /manage/admin/cc-pair/{id}/run': {
    reply: StatusResponse;
    body: {
      from_beginning?: boolean | null;
    } | null;
  };
  'POST /manage/admin/connector/check': {
    reply: {
      status: 'ok';
    };
    body: {
      source: string;
      connector_specific_config: {
        [k: string]: unknown;
      };
      /**
       * 0, the empty one, unless told.
       */
      credential_id?: number;
      /**
       * The keys of the kind; GET /manage/admin/connector-kinds describes them.
       */
      credential_json?: {
        [k: string]: unknown;
      };
    };
  };
  'POST /manage/admin/connector/file/upload': {
    reply: {
      /**
       * Ids for `file_locations` of the connector.
       */
      file_paths: string[];
      /**
       * In the same order; names in a zip keep their folders.
       */
      file_names: string[];
      zip_metadata_file_id: string | null;
    };
    query: {
      unzip?: 'true' | 'false';
    };
  };
  'POST /manage/admin/connector/with-credential': {
    reply: StatusResponse;
    body: {
      name: string;
      source: string;
      input_type: 'load_state' | 'poll' | 'event' | 'slim_retrieval';
      /**
       * public or private, in any case.
       */
      access_type: 'public' | 'private' | 'PUBLIC' | 'PRIVATE';
      /**
       * The settings of the kind; GET /manage/admin/connector-kinds describes them.
       */
      connector_specific_config: {
        [k: string]: unknown;
      };
      /**
       * Seconds between runs; null: once.
       */
      refresh_freq?: number | null;
      /**
       * Seconds between prunes; null: on demand.
       */
      prune_freq?: number | null;
      /**
       * Nothing older is polled.
       */
      indexing_start?: string | null;
      /**
       * Ignored.
       */
      groups?: number[] | null;
      credential_id: number;
    };
  };
  'POST /manage/admin/deletion-attempt': {
    reply: null;
    body: {
      connector_id: number;
      credential_id: number;
    };
  };
  'POST /manage/admin/document-set': {
    reply: number;
    body: {
      name: string;
      description?: string | null;
      /**
       * @minItems 1
       * @maxItems 10000
       */
      cc_pair_ids: number[];
      /**
       * Ignored: every key of the workspace may use a set.
       */
      is_public?: boolean | null;
      /**
       * Ignored.
       */
      users?: unknown[] | null;
      /**
       * Ignored.
       */
      groups?: unknown[] | null;
      /**
       * Ignored.
       */
      federated_connectors?: unknown[] | null;
    };
  };
  'POST /manage/admin/workspaces': {
    reply: {
      workspace_id: string;
      api_key: string;
    };
    body: {
      name: string;
      plan_tier?: ('Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise') | null;
    };
  };
  'POST /manage/credential': {
    reply: ObjectCreationIdResponse;
    body: CredentialBase;
  };
  'POST /operations/queues/{queue}/failures/discard': {
    reply: {
      discarded: number;
      left: number;
    };
    body: {
      /**
       * The last hour, 24 hours or 30 days.
       */
      range?: 'hour' | 'day' | 'month';
      /**
       * Null for all in the range.
       */
      group?: string | null;
      /**
       * One failure, instead of a group.
       */
      id?: string | null;
      count: number;
    };
  };
  'POST /operations/queues/{queue}/failures/retry': {
    reply: {
      retried: number;
      skipped: number;
      left: number;
      why_skipped: string[];
    };
    body: {
      /**
       * The last hour, 24 hours or 30 days.
       */
      range?: 'hour' | 'day' | 'month';
      /**
       * Null for all in the range.
       */
      group?: string | null;
      /**
       * One failure, instead of a group.
       */
      id?: string | null;
      count: number;
      limit?: number;
    };
  };
  'POST /operations/queues/{queue}/pause': {
    reply: {
      paused: {
        at: string;
        by: {
          user_id: string | null;
          name: string;
        };
        reason: string | null;
      };
    };
    body: {
      reason?: string | null;
    };
  };
  'POST /operations/queues/{queue}/resume': {
    reply: {
      paused: null;
    };
    body: {};
  };
  'POST /operations/schedules/{name}/run': {
    reply: {
      name: string;
      paused: boolean;
    };
    body: {};
  };
  'POST /service-api/ingestion': {
    reply: AcceptedDocument;
    body: IngestionItem;
  };
  'POST /service-api/ingestion/{document_id}/retry': {
    reply: {
      document_id: string;
      status: 'accepted';
    };
  };
  'POST /session/invitation': {
    reply: {
      email: string;
      role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
      workspace_name: string;
      expires_at: string;
      /**
       * True: sign in with the address before you accept.
       */
      has_account: boolean;
    };
    body: {
      token: string;
    };
  };
  'POST /session/invitation/accept': {
    reply: Session;
    body: {
      token: string;
      name?: string;
      password?: string;
    };
  };
  'POST /session/owner': {
    reply: Session;
    body: {
      token: string;
      name: string;
      email: string;
      password: string;
      /**
       * A new name of the operator’s workspace.
       */
      workspace_name?: string | null;
    };
  };
  'POST /session/sign-up': {
    reply: Session;
    body: {
      name: string;
      email: string;
      password: string;
      workspace_name: string;
    };
  };
  'POST /tools/lead-scraper': {
    reply: {
      leads: Lead[];
      total_results: number;
      processing_time_ms: number;
      /**
       * Who named the sites of a keyword search: `index`, `searxng` or `brave`.
       */
      provider?: string;
      /**
       * What may be missing, a sentence each: sites that could be read in part only.
       */
      warnings?: string[];
    };
    body: LeadScraperRequest;
  };
  'POST /tools/lead-scraper/{scrape_id}/cancel': {
    reply: LeadScrape;
  };
  'POST /user/projects/file/statuses': {
    reply: UserFileSnapshot[];
    body: {
      /**
       * @maxItems 1000
       */
      file_ids: string[];
    };
  };
  'POST /user/projects/file/upload': {
    reply: {
      user_files: UserFileSnapshot[];
      rejected_files: {
        file_name: string;
        reason: string;
      }[];
    };
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
            | 'email_message.bounced'
            | 'email_message.complained'
            | 'webhook.endpoint.disabled'
            | 'ops.alarm.raised'
            | 'ops.alarm.cleared'
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
  'PUT /manage/admin/cc-pair/{id}/name': {
    reply: StatusResponse;
    query: {
      new_name?: string;
    };
  };
  'PUT /manage/admin/cc-pair/{id}/property': {
    reply: StatusResponse;
    body: {
      name: 'refresh_frequency' | 'pruning_frequency';
      /**
       * Seconds.
       */
      value: string | number | null;
    };
  };
  'PUT /manage/admin/cc-pair/{id}/status': {
    reply: {
      message: '200';
    };
    body: {
      status: 'ACTIVE' | 'PAUSED';
    };
  };
  'PUT /manage/admin/credential/swap': {
    reply: StatusResponse;
    body: {
      new_credential_id: number;
      connector_id: number;
      access_type?: ('public' | 'private' | 'PUBLIC' | 'PRIVATE') | null;
    };
  };
  'PUT /manage/admin/credential/{id}': {
    reply: CredentialSnapshot;
    body: {
      name?: string | null;
      /**
       * The keys of the kind; GET /manage/admin/connector-kinds describes them.
       */
      credential_json: {
        [k: string]: unknown;
      };
    };
  };
  'PUT /manage/admin/workspaces/{id}/plan': {
    reply: {
      workspace_id: string;
      /**
       * In force now.
       */
      plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
      /**
       * As it was set.
       */
      base_plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
      /**
       * In force before.
       */
      previous_plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
    };
    body: {
      plan_tier: 'Free' | 'Personal' | 'Pro' | 'Agency' | 'Enterprise';
    };
  };
  'PUT /session/workspace': {
    reply: Session;
    body: {
      workspace_id: string;
    };
  };
}
export interface StatusResponse {
  success: boolean;
  message: string | null;
  /**
   * The id of what the call was about, or a number of things.
   */
  data: number | null;
}
export interface BounceMailbox {
  id: string;
  kind: 'imap' | 'pop3' | 'webhook';
  email_account_id: string | null;
  host: string | null;
  port: number | null;
  use_tls: boolean | null;
  username: string | null;
  /**
   * Null: the inbox.
   */
  folder: string | null;
  /**
   * waiting: nothing read or posted yet. failing: see error.
   */
  status: 'waiting' | 'ok' | 'failing';
  error_class:
    | (
        | 'dns_error'
        | 'port_not_allowed'
        | 'connection_failed'
        | 'timeout'
        | 'tls_mode_mismatch'
        | 'tls_failed'
        | 'starttls_unavailable'
        | 'auth_failed'
        | 'folder_missing'
        | 'unsupported_server'
        | 'server_busy'
        | 'password_unreadable'
      )
    | null;
  /**
   * Why the last poll failed, and how to fix it.
   */
  error: string | null;
  last_polled_at: string | null;
  next_poll_at: string | null;
  /**
   * Number of messages ended by reports from here.
   */
  returned_total: number;
  last_returned_at: string | null;
  created_at: string;
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
export interface EmailAccount {
  id: string;
  email: string;
  /**
   * A test message went out with the settings that it has.
   */
  verified: boolean;
  /**
   * The sender of outreach that names none.
   */
  default: boolean;
  created_at: string;
  /**
   * Messages a day: what was set, and never more than the plan allows.
   */
  daily_limit: number;
  /**
   * Today, verifications among them.
   */
  daily_sent: number;
  from_name: string;
  smtp_host: string;
  smtp_port: number;
  smtp_user: string;
  /**
   * IANA name; the days of the account begin and end by it.
   */
  time_zone: string;
  /**
   * When daily_sent is 0 again.
   */
  daily_resets_at: string;
  verified_at: string | null;
  /**
   * SPF, DKIM and DMARC of the sender’s domain as of the last verification, with what to publish. Null before the first.
   */
  deliverability: Deliverability | null;
  sending_pace: SendingPace;
}
export interface Deliverability {
  domain: string;
  /**
   * The SMTP server that the records were checked for.
   */
  smtp_host: string;
  spf: {
    /**
     * unknown: the name servers did not answer, or DNS cannot tell. provider: the domain belongs to a mailbox provider, so you have nothing to publish.
     */
    state: 'pass' | 'warn' | 'fail' | 'unknown' | 'provider';
    /**
     * The record as currently published.
     */
    record: string | null;
    /**
     * The record to publish, replacing any of the same name. Null: nothing to change, or only the provider knows the record.
     */
    publish: {
      /**
       * Full name of the DNS record.
       */
      name: string;
      type: 'TXT' | 'CNAME';
      value: string;
    } | null;
    /**
     * What to do and why; empty if nothing.
     */
    advice: string[];
  };
  dkim: {
    /**
     * unknown: the name servers did not answer, or DNS cannot tell. provider: the domain belongs to a mailbox provider, so you have nothing to publish.
     */
    state: 'pass' | 'warn' | 'fail' | 'unknown' | 'provider';
    /**
     * The record as currently published.
     */
    record: string | null;
    /**
     * The record to publish, replacing any of the same name. Null: nothing to change, or only the provider knows the record.
     */
    publish: {
      /**
       * Full name of the DNS record.
       */
      name: string;
      type: 'TXT' | 'CNAME';
      value: string;
    } | null;
    /**
     * What to do and why; empty if nothing.
     */
    advice: string[];
  };
  dmarc: {
    /**
     * unknown: the name servers did not answer, or DNS cannot tell. provider: the domain belongs to a mailbox provider, so you have nothing to publish.
     */
    state: 'pass' | 'warn' | 'fail' | 'unknown' | 'provider';
    /**
     * The record as currently published.
     */
    record: string | null;
    /**
     * The record to publish, replacing any of the same name. Null: nothing to change, or only the provider knows the record.
     */
    publish: {
      /**
       * Full name of the DNS record.
       */
      name: string;
      type: 'TXT' | 'CNAME';
      value: string;
    } | null;
    /**
     * What to do and why; empty if nothing.
     */
    advice: string[];
  };
  /**
   * DMARC counts SPF and DKIM only where they pass for the domain of the sender.
   */
  alignment: {
    spf: 'aligned' | 'not_aligned' | 'unknown';
    dkim: 'aligned' | 'not_aligned' | 'unknown';
    explanation: string;
  };
  checked_at: string;
}
/**
 * The provider's sending limits. Messages wait to stay within them.
 */
export interface SendingPace {
  /**
   * The provider whose published limits apply; null when none are known for this server.
   */
  provider: string | null;
  /**
   * Messages that the provider accepts from one SMTP user.
   */
  per_minute: number | null;
  per_hour: number | null;
  /**
   * Within any 24 hours.
   */
  per_day: number | null;
  /**
   * Messages that this SMTP user sent within 24 hours, through all its accounts; null when the provider has no daily limit or the account is not verified.
   */
  sent_24h: number | null;
  /**
   * When a message requested now would be sent; null when at once.
   */
  next_send_at: string | null;
  /**
   * Whether sending is paused because the provider reported a reached limit. A successful verification ends the pause.
   */
  paused: boolean;
}
export interface EmailMessage {
  id: string;
  email_account_id: string;
  kind: 'message' | 'verification';
  /**
   * queued and sending: not finished. unknown: the connection was lost while the server had the message, so it may have been sent; it is not sent again. bounced: sent, then reported as undelivered. complained: sent, then reported as unwanted by its recipient.
   */
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained';
  /**
   * Empty when it was erased.
   */
  to: string;
  /**
   * Machine-readable reason why it was not sent or came back.
   */
  error_class: string | null;
  /**
   * Why the last attempt failed or the message came back, and what to do.
   */
  error: string | null;
  attempts: number;
  next_attempt_at: string | null;
  created_at: string;
  finished_at: string | null;
  /**
   * The report about a bounced or complained message; otherwise null.
   */
  returned: {
    reported_at: string;
    /**
     * Enhanced status code (RFC 3463), such as 5.1.1; null when the report has none.
     */
    status_code: string | null;
    /**
     * Whether it put the recipient on the do-not-contact list.
     */
    do_not_contact: boolean;
  } | null;
  status_url: string;
}
export interface CCPairFullInfo {
  id: number;
  name: string;
  status: 'SCHEDULED' | 'INITIAL_INDEXING' | 'ACTIVE' | 'PAUSED' | 'DELETING' | 'INVALID';
  connector: ConnectorSnapshot;
  credential: CredentialSnapshot;
  access_type: string;
  number_of_index_attempts: number;
  latest_deletion_attempt: {
    connector_id: number;
    credential_id: number;
    status: 'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE';
  } | null;
  deletion_failure_message: string | null;
  is_editable_for_current_user: boolean;
  creator: string | null;
  creator_email: string | null;
  /**
   * Documents per minute of the newest run.
   */
  overall_indexing_speed: number | null;
  latest_checkpoint_description: string | null;
  last_full_permission_sync: string | null;
  last_permission_sync_attempt_status: string | null;
  permission_syncing: boolean;
  last_permission_sync_attempt_finished: string | null;
  last_permission_sync_attempt_error_message: string | null;
  /**
   * Why it is paused or invalid, in a sentence.
   */
  status_reason: string | null;
  /**
   * A run is under way or waits for a worker.
   */
  indexing: boolean;
  in_repeated_error_state: boolean;
  num_docs_indexed: number;
  docs: {
    indexed: number;
    /**
     * Accepted, and not indexed yet.
     */
    pending: number;
    failed: number;
  };
  last_index_attempt_status:
    | ('not_started' | 'in_progress' | 'success' | 'completed_with_errors' | 'failed' | 'canceled')
    | null;
  /**
   * The end of the last run that was a success.
   */
  last_indexed: string | null;
  last_pruned: string | null;
  next_run: string | null;
  next_prune: string | null;
}
export interface ConnectorSnapshot {
  id: number;
  name: string;
  /**
   * As it was sent.
   */
  source: string;
  input_type: string;
  access_type: string;
  connector_specific_config: {
    [k: string]: unknown;
  };
  refresh_freq: number | null;
  prune_freq: number | null;
  indexing_start: string | null;
  /**
   * Of its pairs; 0 is the empty credential.
   */
  credential_ids: number[];
  time_created: string;
  time_updated: string;
}
export interface CredentialSnapshot {
  id: number;
  name: string | null;
  source: string;
  /**
   * Masked: of long texts the first and last four characters, of others nothing.
   */
  credential_json: {
    [k: string]: unknown;
  };
  /**
   * Why the stored secret cannot be read, and what to do; credential_json is {} then.
   */
  unreadable_reason: string | null;
  admin_public: boolean;
  curator_public: boolean;
  groups: number[];
  user_id: string | null;
  user_email: string | null;
  time_created: string;
  time_updated: string;
}
export interface IndexAttemptError {
  id: number;
  connector_credential_pair_id: number;
  index_attempt_id: number;
  /**
   * Where it failed: at the source or in the index.
   */
  stage: 'fetch' | 'index';
  document_id: string | null;
  document_link: string | null;
  /**
   * What failed when it is no document: a folder, say.
   */
  entity_id: string | null;
  failed_time_range_start: string | null;
  failed_time_range_end: string | null;
  failure_message: string;
  /**
   * Runs in which it failed.
   */
  tries: number;
  is_resolved: boolean;
  time_created: string;
  time_resolved: string | null;
}
export interface IndexAttemptSnapshot {
  id: number;
  status:
    'not_started' | 'in_progress' | 'success' | 'completed_with_errors' | 'failed' | 'canceled';
  from_beginning: boolean;
  /**
   * As `created`.
   */
  new_docs_indexed: number;
  /**
   * `accepted` and `unchanged` together.
   */
  total_docs_indexed: number;
  /**
   * As `removed`.
   */
  docs_removed_from_index: number;
  error_msg: string | null;
  /**
   * Documents that failed at the source or in the index.
   */
  error_count: number;
  full_exception_trace: string | null;
  time_started: string | null;
  time_updated: string;
  /**
   * null: from the beginning.
   */
  poll_range_start: string | null;
  poll_range_end: string;
  /**
   * accepted + unchanged + skipped + failed.
   */
  fetched: number;
  accepted: number;
  /**
   * Of those accepted, the ones that were not known before.
   */
  created: number;
  unchanged: number;
  skipped: number;
  skip_reasons: {
    [k: string]: number;
  };
  /**
   * What was changed about documents that were taken, with their number.
   */
  notes: {
    [k: string]: number;
  };
  failed: number;
  removed: number;
  pages: number;
  checkpoint_description: string | null;
  /**
   * Why it waits. It stands until the run goes on, also while the source is being tried again.
   */
  waiting_for: string | null;
  /**
   * The next try; null while one is under way.
   */
  waiting_until: string | null;
  estimated_total: number | null;
  documents_per_minute: number | null;
  estimated_seconds_left: number | null;
  /**
   * Times that another worker went on from the checkpoint.
   */
  resumptions: number;
  heartbeat: string;
  time_created: string;
  time_finished: string | null;
}
export interface PruneAttemptSnapshot {
  id: number;
  /**
   * needs_confirmation: more than half would go; see `error_msg`.
   */
  status: 'not_started' | 'in_progress' | 'success' | 'needs_confirmation' | 'failed' | 'canceled';
  /**
   * Documents of the pair that came from its source.
   */
  known: number;
  /**
   * Ids that the source listed.
   */
  listed: number;
  /**
   * Known and no longer listed.
   */
  gone: number;
  removed: number;
  error_msg: string | null;
  /**
   * The next try; null while one is under way.
   */
  waiting_until: string | null;
  time_created: string;
  time_started: string | null;
  time_finished: string | null;
}
export interface ConnectorKind {
  kind: string;
  /**
   * Other names that are accepted as source.
   */
  aliases: string[];
  title: string;
  summary: string;
  /**
   * JSON Schema of connector_specific_config.
   */
  settings: {
    [k: string]: unknown;
  };
  /**
   * JSON Schema of credential_json.
   */
  credential: {
    [k: string]: unknown;
  };
  /**
   * False: it can be linked to credential 0.
   */
  needs_credential: boolean;
  /**
   * Seconds.
   */
  default_refresh_freq: number;
}
export interface ConnectorStatus {
  cc_pair_id: number;
  name: string;
  connector: ConnectorSnapshot;
  credential: CredentialSnapshot;
  access_type: string;
  groups: number[];
  cc_pair_status: 'SCHEDULED' | 'INITIAL_INDEXING' | 'ACTIVE' | 'PAUSED' | 'DELETING' | 'INVALID';
  /**
   * Why it is paused or invalid, in a sentence.
   */
  status_reason: string | null;
  /**
   * A run is under way or waits for a worker.
   */
  indexing: boolean;
  in_repeated_error_state: boolean;
  num_docs_indexed: number;
  docs: {
    indexed: number;
    /**
     * Accepted, and not indexed yet.
     */
    pending: number;
    failed: number;
  };
  last_index_attempt_status:
    | ('not_started' | 'in_progress' | 'success' | 'completed_with_errors' | 'failed' | 'canceled')
    | null;
  /**
   * The end of the last run that was a success.
   */
  last_indexed: string | null;
  last_pruned: string | null;
  next_run: string | null;
  next_prune: string | null;
}
export interface DocumentSet {
  id: number;
  name: string;
  description: string | null;
  cc_pair_summaries: {
    id: number;
    name: string;
    source: string;
    access_type: string;
  }[];
  /**
   * Always true: changes count at once.
   */
  is_up_to_date: boolean;
  is_public: boolean;
  users: string[];
  groups: number[];
  federated_connector_summaries: unknown[];
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
  /**
   * How far it is moved up or down in searches; 0 for most.
   */
  boost: number;
  /**
   * Taken out of searches and answers.
   */
  hidden: boolean;
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
export interface Session {
  person: {
    id: string;
    name: string;
    email: string;
    /**
     * False for one who only signs in at a provider.
     */
    has_password: boolean;
  };
  /**
   * The chosen one, in which the session acts.
   */
  workspace: {
    id: string;
    name: string;
    role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
    /**
     * Whether the session may do what operators may.
     */
    is_operator: boolean;
    /**
     * The access of the role: endpoints that require one of these are open to it.
     */
    may: (
      | 'any'
      | 'read'
      | 'ingest'
      | 'read-or-ingest'
      | 'member'
      | 'admin'
      | 'bootstrap-admin'
      | 'operator-read'
    )[];
  };
  workspaces: {
    id: string;
    name: string;
    role: 'admin' | 'member' | 'ingest' | 'read' | 'observer';
  }[];
}
export interface LeadScrape {
  scrape_id: string;
  mode: 'keyword_search' | 'scrape_url';
  /**
   * The words or the address; for several addresses, the first and the number of others.
   */
  query: string;
  /**
   * The addresses, if the request named several.
   */
  urls: string[] | null;
  max_results: number;
  enrichment: ('email' | 'phone' | 'socials' | 'company_info' | 'other_socials')[];
  status: 'queued' | 'running' | 'completed' | 'failed' | 'canceled';
  /**
   * Who named the sites: `index`, `searxng` or `brave`; null for scrape_url.
   */
  provider: string | null;
  pages_done: number;
  /**
   * Leads so far.
   */
  total_results: number;
  error: string | null;
  processing_time_ms: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /**
   * When its leads are deleted.
   */
  expires_at: string | null;
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
    | 'email_message.bounced'
    | 'email_message.complained'
    | 'webhook.endpoint.disabled'
    | 'ops.alarm.raised'
    | 'ops.alarm.cleared'
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
export interface BounceMailboxChange {
  /**
   * The IMAP or POP3 server, such as imap.example.com.
   */
  host?: string;
  /**
   * 993 or 143 for IMAP, 995 or 110 for POP3; others are refused. The default follows use_tls.
   */
  port?: number;
  /**
   * true: TLS from the start. false: STARTTLS, which is then required. The default follows port.
   */
  use_tls?: boolean;
  /**
   * The user name, often the whole address.
   */
  username?: string;
  /**
   * Stored encrypted and never shown. Many providers require an app password.
   */
  password?: string;
  /**
   * Full name of the folder to read. Null: the inbox.
   */
  folder?: string | null;
}
export interface EmailAccountChange {
  /**
   * Kept encrypted and never shown. Many providers want an app password here.
   */
  smtp_password?: string;
  /**
   * `email` unless told.
   */
  smtp_user?: string;
  /**
   * May be left out for the addresses of known providers.
   */
  smtp_host?: string;
  /**
   * The provider's, else 587. 465 and 2465 speak TLS from the start; 587, 2587 and 2525 need STARTTLS; others are refused.
   */
  smtp_port?: number;
  /**
   * Shown beside the address.
   */
  from_name?: string;
  /**
   * Messages a day, verifications among them; null for as many as the plan allows.
   */
  daily_limit?: number | null;
  /**
   * IANA name; the account's days begin and end by it. Yours unless told.
   */
  time_zone?: string;
}
export interface ConnectorUpdateRequest {
  name: string;
  source: string;
  input_type: 'load_state' | 'poll' | 'event' | 'slim_retrieval';
  /**
   * public or private, in any case.
   */
  access_type: 'public' | 'private' | 'PUBLIC' | 'PRIVATE';
  /**
   * The settings of the kind; GET /manage/admin/connector-kinds describes them.
   */
  connector_specific_config: {
    [k: string]: unknown;
  };
  /**
   * Seconds between runs; null: once.
   */
  refresh_freq?: number | null;
  /**
   * Seconds between prunes; null: on demand.
   */
  prune_freq?: number | null;
  /**
   * Nothing older is polled.
   */
  indexing_start?: string | null;
  /**
   * Ignored.
   */
  groups?: number[] | null;
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
        | 'email_message.bounced'
        | 'email_message.complained'
        | 'webhook.endpoint.disabled'
        | 'ops.alarm.raised'
        | 'ops.alarm.cleared'
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
export interface NewEmailAccount {
  /**
   * The address that messages come from.
   */
  email: string;
  /**
   * Kept encrypted and never shown. Many providers want an app password here.
   */
  smtp_password: string;
  /**
   * `email` unless told.
   */
  smtp_user?: string;
  /**
   * May be left out for the addresses of known providers.
   */
  smtp_host?: string;
  /**
   * The provider's, else 587. 465 and 2465 speak TLS from the start; 587, 2587 and 2525 need STARTTLS; others are refused.
   */
  smtp_port?: number;
  /**
   * Shown beside the address.
   */
  from_name?: string;
  /**
   * Messages a day, verifications among them; null for as many as the plan allows.
   */
  daily_limit?: number | null;
  /**
   * IANA name; the account's days begin and end by it. Yours unless told.
   */
  time_zone?: string;
}
export interface EmailVerification {
  verified: boolean;
  message: string;
  verification_id: string;
  /**
   * queued and sending: not finished. unknown: the connection was lost while the server had the message, so it may have been sent; it is not sent again. bounced: sent, then reported as undelivered. complained: sent, then reported as unwanted by its recipient.
   */
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained';
  /**
   * Machine-readable reason why it was not sent or came back.
   */
  error_class: string | null;
  /**
   * What could be better about the sender: SPF, DKIM, DMARC, its SMTP user.
   */
  warnings: string[];
  status_url: string;
}
export interface ObjectCreationIdResponse {
  id: number;
  credential: CredentialSnapshot | null;
}
export interface CredentialBase {
  /**
   * The keys of the kind; GET /manage/admin/connector-kinds describes them.
   */
  credential_json: {
    [k: string]: unknown;
  };
  source: string;
  name?: string | null;
  /**
   * Whether other admins may see and link it; true unless told.
   */
  admin_public?: boolean | null;
  curator_public?: boolean | null;
  /**
   * Ignored.
   */
  groups?: number[] | null;
}
export interface AcceptedDocument {
  document_id: string;
  already_existed: boolean;
  status: 'accepted' | 'indexing' | 'indexed' | 'failed' | 'deleting';
  /**
   * Path of the document; ask it for the progress of indexing.
   */
  status_url: string;
}
export interface IngestionItem {
  document: IngestionDocument;
  cc_pair_id?: number | null;
}
export interface IngestionDocument {
  id?: string | null;
  semantic_identifier: string;
  title?: string | null;
  /**
   * @maxItems 100000
   */
  sections: {
    text?: string | null;
    link?: string | null;
    image_file_id?: string | null;
  }[];
  source?: string | null;
  /**
   * At most 1000 keys of 255 characters, 1000 values in a list, and 256 KB as JSON.
   */
  metadata?: {
    [k: string]: string | number | boolean | (string | number | boolean)[];
  } | null;
  doc_updated_at?: string | null;
  primary_owners?:
    | {
        display_name?: string | null;
        first_name?: string | null;
        middle_initial?: string | null;
        last_name?: string | null;
        email?: string | null;
      }[]
    | null;
  secondary_owners?:
    | {
        display_name?: string | null;
        first_name?: string | null;
        middle_initial?: string | null;
        last_name?: string | null;
        email?: string | null;
      }[]
    | null;
  chunk_count?: number | null;
  from_ingestion_api?: boolean | null;
}
export interface Lead {
  id: string;
  /**
   * Of the person or the organisation. What is not known is an empty string.
   */
  name: string;
  /**
   * The person's role.
   */
  title: string;
  company: string;
  email: string;
  /**
   * E.164.
   */
  phone: string;
  website: string;
  socials: {
    linkedin: string;
    twitter: string;
  };
  /**
   * Only when `enrichment` asks for them.
   */
  other_socials?: {
    facebook: string;
    instagram: string;
  };
  /**
   * Domain of the site that lists this organisation or this person's employer; null if found on its own site.
   */
  found_on?: string;
  confidence_score: number;
}
export interface LeadScraperRequest {
  /**
   * keyword_search: search for words. scrape_url: read the sites of addresses.
   */
  mode: 'keyword_search' | 'scrape_url';
  /**
   * A search term, or the URL of a page.
   */
  query?: string | null;
  /**
   * Instead of `query`, with scrape_url: the URLs of several pages. Pages of one domain are read in one visit.
   */
  urls?: string[] | null;
  max_results?: number | null;
  /**
   * Facts to look up for each lead; by default all but `other_socials`. An empty list: none.
   */
  enrichment?: ('email' | 'phone' | 'socials' | 'company_info' | 'other_socials')[] | null;
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
        | 'email_message.bounced'
        | 'email_message.complained'
        | 'webhook.endpoint.disabled'
        | 'ops.alarm.raised'
        | 'ops.alarm.cleared'
        | 'ping'
      )[]
    | null;
  enabled?: boolean;
  /**
   * Deliveries a minute; null for no limit.
   */
  rate_limit?: number | null;
}
