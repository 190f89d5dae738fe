import type { ChatModel, ChatModelMessage } from '#src/chat/model/chat-model.ts';
import type { ReadPassages } from '#src/chat/extract/extract-from.ts';
import type { Tool } from '#src/chat/tools/tool.ts';

export interface GenerateInput {
  question: string;
  /** The user's messages before this one, the oldest first. */
  questionsBefore: readonly string[];
  /** Null when none is configured: the answer is then extractive. */
  model: ChatModel | null;
  temperature: number | null;
  /** What the request, the agent and the settings allow. */
  tools: readonly Tool[];
  /** Reads on in documents that were found, for an answer without a model; null where search brings all there is. */
  readPassages: ReadPassages | null;
  /** Its tools alone are offered at first, and one of them must be called; null leaves it to the model. */
  forcedToolId: number | null;
  /** The prompt, with the documents of a first search, if there are any. */
  prompt: (documents: string | null, budgetTokens: number) => ChatModelMessage[];
  includeCitations: boolean;
  /** Called when the answer ends where its model could write no more. */
  onCut?: () => void;
  signal: AbortSignal;
}
