import { z } from 'zod';

import {
  NO_FILTERS,
  searchFiltersSchema,
  type SearchFilters,
} from '#src/documents/search-filters.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { llmOverrideSchema, type LlmOverride } from './llm-override.ts';
import type { MessageParent } from './sessions.ts';
import { INTERNAL_SEARCH_ID } from './tools/internal-search.ts';

const MAX_MESSAGE_LENGTH = 100_000;
const MAX_ID = 2_147_483_647;

const identifier = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,10}$/)
    .transform(Number),
]);
const blank = z
  .string()
  .regex(/^\s*$/)
  .transform(() => null);

/** The body of `POST /chat/send-chat-message`; keys that it does not know are let through. */
export const chatRequestSchema = z
  .looseObject({
    message: z.string().trim().min(1).max(MAX_MESSAGE_LENGTH),
    llm_override: llmOverrideSchema.nullish(),
    allowed_tool_ids: z.array(identifier).max(100).nullish(),
    forced_tool_id: z
      .union([identifier, blank])
      .nullish()
      .refine(
        (id) => id === undefined || id === null || id === INTERNAL_SEARCH_ID,
        `is not a tool of this service. The only tool is internal search, id ${INTERNAL_SEARCH_ID}; leave forced_tool_id out to let the agent decide.`,
      ),
    file_descriptors: z
      .array(z.unknown())
      .nullish()
      .refine(
        (files) => (files ?? []).length === 0,
        'files cannot be attached to a message yet. Index them as documents instead, and send an empty list.',
      ),
    search_filters: searchFiltersSchema.nullish(),
    internal_search_filters: searchFiltersSchema.nullish(),
    deep_research: z
      .boolean()
      .nullish()
      .refine((isAsked) => isAsked !== true, 'deep research is not available yet. Send false.'),
    parent_message_id: z
      .union([identifier, z.null()])
      .optional()
      .refine(
        (id) => id === undefined || id === null || id === -1 || (id > 0 && id <= MAX_ID),
        'must be the id of a message, -1 (after the last message) or null (start anew).',
      ),
    chat_session_id: z.union([z.guid(), blank]).nullish(),
    chat_session_info: z
      .looseObject({
        persona_id: z
          .int()
          .nullish()
          .refine((id) => (id ?? 0) === 0, 'the only agent is the default one, id 0.'),
        project_id: z
          .int()
          .nullish()
          .refine((id) => (id ?? null) === null, 'projects are not available yet. Send null.'),
      })
      .nullish(),
    stream: z.boolean().nullish(),
    include_citations: z.boolean().nullish(),
    additional_context: z.string().max(MAX_MESSAGE_LENGTH).nullish(),
  })
  .refine(
    ({ forced_tool_id: forced, allowed_tool_ids: allowed }) =>
      (forced ?? null) === null || (allowed ?? null) === null || allowed?.includes(forced ?? 0),
    {
      path: ['forced_tool_id'],
      message: 'is not among allowed_tool_ids. Add it there, or leave one of the two out.',
    },
  );

export interface ChatRequest {
  message: string;
  llmOverride: LlmOverride | null;
  /** Whether internal search may be used. */
  isSearchAllowed: boolean;
  filters: SearchFilters;
  parent: MessageParent;
  sessionId: ChatSessionId | null;
  isStreamed: boolean;
  includeCitations: boolean;
  additionalContext: string | null;
}

/** What a request means once its defaults are in place. */
export function readChatRequest(body: z.output<typeof chatRequestSchema>): ChatRequest {
  const allowed = body.allowed_tool_ids ?? null;
  // A body of `message` alone asks for one JSON object; with other keys the stream is the default.
  const isMessageAlone = Object.keys(body).every((key) => key === 'message');
  const context = body.additional_context ?? '';
  return {
    message: body.message,
    llmOverride: body.llm_override ?? null,
    isSearchAllowed: allowed === null || allowed.includes(INTERNAL_SEARCH_ID),
    filters: body.search_filters ?? body.internal_search_filters ?? NO_FILTERS,
    parent: parentOf(body.parent_message_id),
    // The schema checked its form; whether it exists is asked with the owner's ids.
    sessionId: (body.chat_session_id ?? null) as ChatSessionId | null,
    isStreamed: body.stream ?? !isMessageAlone,
    includeCitations: body.include_citations ?? true,
    additionalContext: context.trim() === '' ? null : context,
  };
}

function parentOf(id: number | null | undefined): MessageParent {
  if (id === null) return 'root';
  return id === undefined || id === -1 ? 'last' : id;
}
