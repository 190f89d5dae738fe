import type { ChatSessionId } from '#src/ids.ts';
import type { ToolCall } from './tool-call.ts';

/** Facts about an answer that are not in its packets. */
export interface AnswerSummary {
  chat_session_id: ChatSessionId;
  tool_calls: ToolCall[];
}
