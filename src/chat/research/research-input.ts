import type { CitationStyle } from '#src/chat/citations/citations.ts';
import type { ChatModel, ChatModelMessage } from '#src/chat/model/chat-model.ts';
import type { ToolCall } from '#src/chat/wire/tool-call.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { SearchDoc } from '#src/documents/search/search-hit.ts';
import type { ResearchLimits } from './research-limits.ts';

export interface ResearchInput {
  model: ChatModel;
  /** Tools for the agents: internal search, web search, open URL. */
  tools: readonly Tool[];
  /** System rules, earlier turns and, last, the user's question. */
  messages: readonly ChatModelMessage[];
  question: string;
  /** The previous answer was a clarifying question, so no other is asked. */
  isClarified: boolean;
  citations: CitationStyle;
  temperature: number | null;
  limits?: Partial<ResearchLimits>;
  /** Called when the report reached its length limit. */
  onCut?: () => void;
  now: () => Date;
  signal: AbortSignal;
}

export interface ResearchOutcome {
  /** Calls of the orchestrator, each followed by those of its agent. */
  toolCalls: ToolCall[];
  /** The answer is a clarifying question; nothing was researched. */
  isClarification: boolean;
  /** The documents cited by the intermediate reports, by the numbers of the final report. */
  documents: ReadonlyMap<number, SearchDoc>;
}
