import type { ChatSessionId } from '#src/ids.ts';
import type { ToolCall } from './tool-call.ts';

/** What a stream of packets does not say about its answer. */
export interface AnswerSummary {
  chat_session_id: ChatSessionId;
  tool_calls: ToolCall[];
}
