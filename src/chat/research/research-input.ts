import type { ChatModel, ChatModelMessage } from '#src/chat/model/chat-model.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { SearchDoc } from '#src/documents/search-hit.ts';
import type { ResearchLimits } from './research-limits.ts';

export interface ResearchInput {
  model: ChatModel;
  /** What the agents may use: internal search, web search, open URL. */
  tools: readonly Tool[];
  /** System rules, earlier turns and the user's question, which is the last one. */
  messages: readonly ChatModelMessage[];
  question: string;
  /** The answer before was a question back: another one is not asked. */
  isClarified: boolean;
  includeCitations: boolean;
  temperature: number | null;
  limits?: Partial<ResearchLimits>;
  /** Called when the report ends at a limit on its length. */
  onCut?: () => void;
  now: () => Date;
  signal: AbortSignal;
}

export interface ResearchOutcome {
  /** Those of the orchestrator, each followed by those that its agent made. */
  toolCalls: ToolCall[];
  /** The answer asks back; nothing was researched. */
  isClarification: boolean;
  /** What the intermediate reports cite, by the numbers of the final report. */
  documents: ReadonlyMap<number, SearchDoc>;
}
