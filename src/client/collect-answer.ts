import { removeCitations } from '#src/chat/citations/written-citations.ts';
import type { ChatFullResponse } from './api-types.ts';
import type { StreamLine } from './packets.ts';

/** The parts of a complete response that its stream contains; results of tools are only in the packets. */
export type AssembledAnswer = Omit<ChatFullResponse, 'tool_calls'>;

/**
 * Reads a stream to its end and collects it into one object, equivalent to the answer to `chat.send`. A failed answer
 * has an empty text and an `error_msg`. `chat_session_id` is null when the session was not created by the stream.
 */
export async function collectAnswer(lines: AsyncIterable<StreamLine>): Promise<AssembledAnswer> {
  const answer: AssembledAnswer = {
    answer: '',
    answer_citationless: '',
    pre_answer_reasoning: null,
    top_documents: [],
    citation_info: [],
    message_id: 0,
    chat_session_id: null,
    error_msg: null,
  };
  for await (const line of lines) addLine(answer, line);
  if (answer.error_msg !== null) {
    answer.answer = '';
    answer.citation_info = [];
  }
  const cited = new Set(answer.citation_info.map(({ citation_number }) => citation_number));
  answer.answer_citationless = removeCitations(answer.answer, (number) => cited.has(number));
  return answer;
}

function addLine(answer: AssembledAnswer, line: StreamLine): void {
  if ('chat_session_id' in line) answer.chat_session_id = line.chat_session_id;
  if ('reserved_assistant_message_id' in line)
    answer.message_id = line.reserved_assistant_message_id;
  // What happens inside a research agent belongs to its own block.
  if (!('obj' in line) || line.placement.sub_turn_index !== null) return;
  const { obj } = line;
  if (obj.type === 'message_start') {
    // Only the last text is the answer: earlier text announced a tool.
    answer.answer = '';
    answer.citation_info = [];
    answer.top_documents = obj.final_documents ?? [];
  }
  if (obj.type === 'message_delta') answer.answer += obj.content;
  if (obj.type === 'citation_info') answer.citation_info.push(obj);
  if (obj.type === 'reasoning_start') answer.pre_answer_reasoning = '';
  if (obj.type === 'reasoning_delta')
    answer.pre_answer_reasoning = (answer.pre_answer_reasoning ?? '') + obj.reasoning;
  if (obj.type === 'error') answer.error_msg = obj.message;
}
