import { z } from 'zod';

import type { AnswerSummary } from '#src/chat/wire/answer-summary.ts';
import { removeCitations } from '#src/chat/citations/written-citations.ts';
import { citationInfoSchema, type StreamLine } from '#src/chat/wire/packets.ts';
import { searchDocSchema } from '#src/documents/search/search-hit.ts';
import { toolCallSchema } from '#src/chat/wire/tool-call.ts';

/** The whole answer in one object, as the OpenAPI document describes it. */
export const chatFullResponseSchema = z
  .object({
    answer: z.string(),
    answer_citationless: z.string(),
    pre_answer_reasoning: z.string().nullable(),
    tool_calls: z.array(toolCallSchema),
    top_documents: z.array(searchDocSchema),
    citation_info: z.array(citationInfoSchema),
    message_id: z.int(),
    chat_session_id: z.guid().nullable(),
    error_msg: z.string().nullable(),
  })
  .meta({ id: 'ChatFullResponse' });
export type ChatFullResponse = z.output<typeof chatFullResponseSchema>;

/**
 * Collects an answer's stream into one object, so that both forms agree. A failed answer has an empty text and an
 * `error_msg`.
 */
export async function collectAnswer(
  lines: AsyncGenerator<StreamLine, AnswerSummary>,
): Promise<ChatFullResponse> {
  const response = emptyResponse();
  let step = await lines.next();
  while (step.done !== true) {
    addLine(response, step.value);
    step = await lines.next();
  }
  response.chat_session_id = step.value.chat_session_id;
  response.tool_calls = step.value.tool_calls;
  if (response.error_msg !== null) {
    response.answer = '';
    response.citation_info = [];
  }
  const cited = new Set(response.citation_info.map(({ citation_number }) => citation_number));
  response.answer_citationless = removeCitations(response.answer, (number) => cited.has(number));
  return response;
}

function emptyResponse(): ChatFullResponse {
  return {
    answer: '',
    answer_citationless: '',
    pre_answer_reasoning: null,
    tool_calls: [],
    top_documents: [],
    citation_info: [],
    message_id: 0,
    chat_session_id: null,
    error_msg: null,
  };
}

function addLine(response: ChatFullResponse, line: StreamLine): void {
  if ('reserved_assistant_message_id' in line)
    response.message_id = line.reserved_assistant_message_id;
  // A research agent's reasoning is part of its own block.
  if (!('obj' in line) || line.placement.sub_turn_index !== null) return;
  const { obj } = line;
  if (obj.type === 'message_start') {
    // The answer is the last text: earlier text announced a tool.
    response.answer = '';
    response.citation_info = [];
    response.top_documents = obj.final_documents ?? [];
  }
  if (obj.type === 'message_delta') response.answer += obj.content;
  if (obj.type === 'citation_info') response.citation_info.push(obj);
  if (obj.type === 'reasoning_start') response.pre_answer_reasoning = '';
  if (obj.type === 'reasoning_delta')
    response.pre_answer_reasoning = (response.pre_answer_reasoning ?? '') + obj.reasoning;
  if (obj.type === 'error') response.error_msg = obj.message;
}
