import type { CitationStyle } from '#src/chat/citations/citations.ts';
import type { ChatModel, ChatModelMessage } from '#src/chat/model/chat-model.ts';
import type { ReadPassages } from '#src/chat/extract/extract-from.ts';
import type { Tool } from '#src/chat/tools/tool.ts';

export interface GenerateInput {
  question: string;
  /** The user's earlier messages, oldest first. */
  questionsBefore: readonly string[];
  /** Null when none is configured: the answer is then extractive. */
  model: ChatModel | null;
  temperature: number | null;
  /** The tools that the request, the agent and the settings allow. */
  tools: readonly Tool[];
  /**
   * Reads further in found documents, for an answer without a model; null where the search already returns all the
   * text.
   */
  readPassages: ReadPassages | null;
  /** At first only this tool is offered, and it must be called; null leaves the choice to the model. */
  forcedToolId: number | null;
  /** Builds the prompt, with the documents of a first search if there are any. */
  prompt: (documents: string | null, budgetTokens: number) => ChatModelMessage[];
  citations: CitationStyle;
  /** Called when the model reached its length limit. */
  onCut?: () => void;
  signal: AbortSignal;
}
