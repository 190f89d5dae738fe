import { z } from 'zod';

import { NO_FILTERS, searchFiltersSchema } from '#src/documents/search/search-filters.ts';
import { searchDocSchema } from '#src/documents/search/search-hit.ts';
import {
  type ChatRequest,
  chatRequestSchema,
  messageSchema,
  readChatRequest,
} from './chat-request.ts';
import type { ChatFullResponse } from '#src/chat/stream/full-response.ts';
import { citationInfoSchema } from '#src/chat/wire/packets.ts';
import { TOOL_IDS } from '#src/chat/tools/tool.ts';

/** How the earlier endpoints specified whether to search, and where. */
const retrievalOptions = z.looseObject({
  run_search: z.enum(['always', 'never', 'auto']).nullish(),
  filters: searchFiltersSchema.nullish(),
});

/** The earlier format of `POST /chat/send-message`. */
export const legacyMessageSchema = chatRequestSchema.safeExtend({
  chat_session_id: z.guid(),
  retrieval_options: retrievalOptions.nullish(),
  forced_tool_ids: z.array(z.int()).max(100).nullish(),
  temperature_override: z.number().min(0).max(2).nullish(),
});

export function readLegacyMessage(body: z.output<typeof legacyMessageSchema>): ChatRequest {
  const request = readChatRequest(body);
  const { retrieval_options: retrieval, forced_tool_ids: forced } = body;
  const temperature = body.temperature_override ?? null;
  return {
    ...request,
    ...searchRules(retrieval ?? null),
    ...(forced?.[0] === undefined ? {} : { forcedToolId: forced[0] }),
    llmOverride:
      temperature === null ? request.llmOverride : { ...request.llmOverride, temperature },
  };
}

/** The body of `POST /chat/send-message-simple-api`. */
export const simpleMessageSchema = z
  .looseObject({
    chat_session_id: z.guid().nullish(),
    persona_id: z.int().min(0).max(2_147_483_647).nullish(),
    message: messageSchema,
    retrieval_options: retrievalOptions.nullish(),
  })
  .refine(
    ({ chat_session_id, persona_id }) => (chat_session_id ?? persona_id ?? null) !== null,
    'needs chat_session_id or persona_id (0 is the default agent).',
  );

/** The body of `POST /chat/send-message-simple-with-history`. */
export const simpleWithHistorySchema = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        message: messageSchema,
        role: z.enum(['user', 'assistant']),
        sender: z.string().nullish(),
      }),
    )
    .min(1)
    .max(500)
    .refine((messages) => messages.at(-1)?.role === 'user', 'must end with a message of the user.'),
  persona_id: z.int().min(0).max(2_147_483_647),
  retrieval_options: retrievalOptions.nullish(),
});

export const simpleAnswerSchema = z.object({
  answer: z.string(),
  answer_citationless: z.string(),
  top_documents: z.array(searchDocSchema),
  error_msg: z.string().nullable(),
  message_id: z.int(),
  citation_info: z.array(citationInfoSchema),
});

export function readSimpleMessage(body: z.output<typeof simpleMessageSchema>): ChatRequest {
  const session = body.chat_session_id ?? null;
  const request = readChatRequest({
    message: body.message,
    chat_session_id: session,
    // The session takes precedence.
    chat_session_info: session === null ? { persona_id: body.persona_id ?? 0 } : null,
  });
  return { ...request, ...searchRules(body.retrieval_options ?? null) };
}

/** The earlier messages are context only: that conversation was held elsewhere, and is stored there. */
export function readSimpleWithHistory(body: z.output<typeof simpleWithHistorySchema>): ChatRequest {
  const last = body.messages.at(-1);
  const before = body.messages.slice(0, -1);
  const request = readChatRequest({
    message: last?.message ?? '',
    chat_session_info: { persona_id: body.persona_id },
    additional_context:
      before.length === 0
        ? null
        : `The conversation so far:\n${before.map(({ role, message }) => `${role}: ${message}`).join('\n')}`,
  });
  return { ...request, ...searchRules(body.retrieval_options ?? null) };
}

export function toSimpleAnswer(response: ChatFullResponse): z.input<typeof simpleAnswerSchema> {
  const { answer, answer_citationless, top_documents, error_msg, message_id, citation_info } =
    response;
  return {
    answer,
    answer_citationless,
    top_documents,
    error_msg,
    message_id,
    citation_info,
  };
}

function searchRules(
  options: z.output<typeof retrievalOptions> | null,
): Partial<Pick<ChatRequest, 'allowedToolIds' | 'forcedToolId' | 'filters'>> {
  if (options === null) return {};
  const filters = options.filters ?? NO_FILTERS;
  switch (options.run_search ?? 'auto') {
    case 'always':
      return { filters, forcedToolId: TOOL_IDS.internalSearch };
    case 'never':
      return { filters, allowedToolIds: [] };
    case 'auto':
      return { filters };
  }
}
