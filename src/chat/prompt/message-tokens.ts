import { countTokens } from '#src/documents/count-tokens.ts';
import type { ChatModelMessage } from '#src/chat/model/chat-model.ts';

/** Roles and marks between messages. */
export const MESSAGE_TOKENS = 4;
/** What providers count for an image of ordinary size. */
export const IMAGE_TOKENS = 1_000;

/** Estimated tokens of a message as the model counts it. */
export function messageTokens(message: ChatModelMessage): number {
  const tokens = MESSAGE_TOKENS + countTokens(message.content);
  switch (message.role) {
    case 'user':
      return tokens + IMAGE_TOKENS * (message.images?.length ?? 0);
    case 'assistant':
      return (message.toolCalls ?? []).reduce(
        (sum, call) => sum + MESSAGE_TOKENS + countTokens(call.name) + countTokens(call.arguments),
        tokens,
      );
    case 'system':
    case 'tool':
      return tokens;
  }
}

/** The same of all, or `limit + 1` when they cost more than `limit`. Counts nothing where the lengths say enough. */
export function totalTokens(messages: readonly ChatModelMessage[], limit: number): number {
  let total = 0;
  for (const message of messages) {
    total += messageTokens(message);
    if (total > limit) return limit + 1;
  }
  return total;
}

/** Every token has a character of its own, so most conversations need not be counted at all. */
export function surelyFits(messages: readonly ChatModelMessage[], budget: number): boolean {
  let most = 0;
  for (const message of messages) {
    most += MESSAGE_TOKENS + message.content.length;
    if (message.role === 'user') most += IMAGE_TOKENS * (message.images?.length ?? 0);
    if (message.role === 'assistant')
      for (const call of message.toolCalls ?? [])
        most += MESSAGE_TOKENS + call.name.length + call.arguments.length;
    if (most > budget) return false;
  }
  return true;
}
