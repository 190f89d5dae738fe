import { z } from 'zod';
import type { CitationStyle } from '#src/chat/citations/citations.ts';
import {
  NO_FILTERS,
  searchFiltersSchema,
  type SearchFilters,
} from '#src/documents/search/search-filters.ts';
import type { ChatSessionId } from '#src/ids.ts';
import { llmOverrideSchema, type LlmOverride } from '#src/chat/model/llm-override.ts';
import type { MessageParent } from '#src/chat/turns/turn-place.ts';

const MAX_MESSAGE_LENGTH = 100_000;
const MAX_ID = 2_147_483_647;
const MAX_FILES = 50;
/** May be empty only with files, or when an earlier message is answered again. */
export const NO_WORDS = 'is empty. Say what you want to know.';
const MAX_HEADERS = 50;

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
const rowId = z.int().min(0).max(MAX_ID);

/** A file of the caller: its id alone, or the object that an upload returned. */
const fileDescriptor = z.union([
  z
    .string()
    .trim()
    .min(1)
    .max(100)
    .transform((id) => ({ id, user_file_id: null })),
  z.looseObject({
    id: z.string().trim().min(1).max(100),
    type: z.string().nullish(),
    name: z.string().nullish(),
    user_file_id: z.string().max(100).nullish(),
  }),
]);

const wordsOrNone = z.string().trim().max(MAX_MESSAGE_LENGTH);
export const messageSchema = wordsOrNone.min(1);

/** The body of `POST /chat/send-chat-message`; unknown keys are ignored. */
export const chatRequestSchema = z
  .looseObject({
    message: wordsOrNone.describe(
      'May be empty when files are attached, or an earlier message is answered again.',
    ),
    llm_override: llmOverrideSchema.nullish(),
    llm_overrides: z
      .array(llmOverrideSchema)
      .max(1, 'names several models; one answer comes from one model. Name one in llm_override.')
      .nullish(),
    allowed_tool_ids: z.array(identifier).max(100).nullish(),
    forced_tool_id: z.union([identifier, blank]).nullish(),
    file_descriptors: z.array(fileDescriptor).max(MAX_FILES).nullish(),
    search_filters: searchFiltersSchema.nullish(),
    internal_search_filters: searchFiltersSchema.nullish(),
    deep_research: z.boolean().nullish(),
    parent_message_id: z
      .union([identifier, z.null()])
      .optional()
      .refine(
        (id) => id === undefined || id === null || id === -1 || (id > 0 && id <= MAX_ID),
        'must be the id of a message, -1 (after the last message) or null (start anew).',
      ),
    chat_session_id: z.union([z.guid(), blank]).nullish(),
    chat_session_info: z
      .looseObject({ persona_id: rowId.nullish(), project_id: rowId.nullish() })
      .nullish(),
    stream: z.boolean().nullish(),
    include_citations: z.boolean().nullish(),
    additional_context: z.string().max(MAX_MESSAGE_LENGTH).nullish(),
    mcp_headers: z
      .record(z.string().max(200), z.string().max(8_000))
      .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, 'has too many headers')
      .nullish(),
  })
  .refine(
    ({ message, parent_message_id: parent, file_descriptors: files }) =>
      message !== '' || (files ?? []).length > 0 || typeof parentOf(parent) === 'number',
    { path: ['message'], message: NO_WORDS },
  )
  .refine(
    ({ forced_tool_id: forced, allowed_tool_ids: allowed }) =>
      (forced ?? null) === null || (allowed ?? null) === null || allowed?.includes(forced ?? 0),
    {
      path: ['forced_tool_id'],
      message: 'is not among allowed_tool_ids. Add it there, or leave one of the two out.',
    },
  )
  .refine(
    ({ chat_session_id: session, chat_session_info: info }) =>
      (session ?? null) === null ||
      ((info?.persona_id ?? null) === null && (info?.project_id ?? null) === null),
    {
      path: ['chat_session_info'],
      message:
        'is of new sessions only, and chat_session_id names one that exists. Leave one of the two out.',
    },
  )
  .meta({ id: 'ChatRequest' });

/** The contents of a request, with defaults applied. */
export interface ChatRequest {
  message: string;
  llmOverride: LlmOverride | null;
  /** Null: all of the agent's tools. */
  allowedToolIds: readonly number[] | null;
  forcedToolId: number | null;
  files: readonly { id: string; userFileId: string | null }[];
  filters: SearchFilters;
  deepResearch: boolean;
  parent: MessageParent;
  /** Null creates a session. */
  sessionId: ChatSessionId | null;
  /** For a new session. */
  personaId: number;
  projectId: number | null;
  citations: CitationStyle;
  /** For this message's prompt only; never stored. */
  additionalContext: string | null;
  mcpHeaders: Readonly<Record<string, string>> | null;
}

type ChatRequestBody = z.output<typeof chatRequestSchema>;

/** Applies the defaults of a request. */
export function readChatRequest(body: ChatRequestBody): ChatRequest {
  const context = body.additional_context ?? '';
  const info = body.chat_session_info;
  return {
    message: body.message,
    llmOverride: body.llm_override ?? body.llm_overrides?.[0] ?? null,
    allowedToolIds: body.allowed_tool_ids ?? null,
    forcedToolId: body.forced_tool_id ?? null,
    files: (body.file_descriptors ?? []).map(({ id, user_file_id }) => ({
      id,
      userFileId: user_file_id ?? null,
    })),
    filters: body.search_filters ?? body.internal_search_filters ?? NO_FILTERS,
    deepResearch: body.deep_research ?? false,
    parent: parentOf(body.parent_message_id),
    // The schema checked its format; existence is checked with the owner's ids.
    sessionId: (body.chat_session_id ?? null) as ChatSessionId | null,
    personaId: info?.persona_id ?? 0,
    projectId: info?.project_id ?? null,
    citations: { isShown: body.include_citations ?? true, labelsCode: true },
    additionalContext: context.trim() === '' ? null : context,
    mcpHeaders: body.mcp_headers ?? null,
  };
}

/**
 * One JSON object unless `stream` is true. Existing clients below `/api`, which get bare lines, expect a stream when
 * `stream` is omitted; there only a body with nothing but `message` asks for an object.
 */
export function asksForStream(body: ChatRequestBody, framing: 'sse' | 'lines'): boolean {
  const isMessageAlone = Object.keys(body).every((key) => key === 'message');
  return body.stream ?? (framing === 'lines' && !isMessageAlone);
}

function parentOf(id: number | null | undefined): MessageParent {
  if (id === null) return 'root';
  return id === undefined || id === -1 ? 'last' : id;
}
