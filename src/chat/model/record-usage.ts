import { countTokens } from '#src/documents/count-tokens.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { UsageLedger } from './usage-ledger.ts';
import type { ChatModel, ChatModelRequest, ModelUsage } from './chat-model.ts';

/**
 * Wraps a model so that each of its calls is recorded in the ledger. A call that ends early, or whose provider reports
 * no usage, is recorded with an estimate.
 */
export function recordUsage<Model extends ChatModel | null>(
  model: Model,
  ledger: UsageLedger,
  workspaceId: WorkspaceId,
): Model extends null ? ChatModel | null : ChatModel;
export function recordUsage(
  model: ChatModel | null,
  ledger: UsageLedger,
  workspaceId: WorkspaceId,
): ChatModel | null {
  if (model === null) return null;
  return {
    ...model,
    async *stream(request) {
      let usage: ModelUsage | null = null;
      let said = '';
      let thought = '';
      try {
        for await (const part of model.stream(request)) {
          if (part.type === 'text') said += part.text;
          if (part.type === 'reasoning') thought += part.text;
          if (part.type === 'tool-call') said += part.call.arguments;
          if (part.type === 'finish') usage = part.usage ?? estimate(request, said, thought);
          yield part;
        }
      } finally {
        // A refused call cost nothing.
        if (usage === null && said + thought !== '') usage = estimate(request, said, thought);
        if (usage !== null) ledger.record(workspaceId, model, usage);
      }
    },
  };
}

function estimate({ messages }: ChatModelRequest, said: string, thought: string): ModelUsage {
  const reasoningTokens = countTokens(thought);
  return {
    inputTokens: messages.reduce((sum, { content }) => sum + countTokens(content), 0),
    outputTokens: countTokens(said) + reasoningTokens,
    reasoningTokens,
  };
}
