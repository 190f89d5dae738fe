import { countTokens } from '#src/documents/count-tokens.ts';
import type { ChatModelMessage, ProviderState } from '#src/chat/model/chat-model.ts';

/** Tokens for roles and separators between messages. */
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
        (sum, { name, arguments: written, state }) =>
          sum + MESSAGE_TOKENS + countTokens(name) + countTokens(written) + stateTokens(state),
        tokens + stateTokens(message.state),
      );
    case 'system':
    case 'tool':
      return tokens;
  }
}

/** Provider state counts too; for signatures this is a rough guess. */
function stateTokens(state: ProviderState | undefined): number {
  return state === undefined ? 0 : countTokens(JSON.stringify(state));
}

/**
 * The sum for all messages, or `limit + 1` when they cost more than `limit`. Counts nothing when the lengths suffice to
 * decide.
 */
export function totalTokens(messages: readonly ChatModelMessage[], limit: number): number {
  let total = 0;
  for (const message of messages) {
    total += messageTokens(message);
    if (total > limit) return limit + 1;
  }
  return total;
}

/** A token has at least one character, so most conversations need not be counted at all. */
export function surelyFits(messages: readonly ChatModelMessage[], budget: number): boolean {
  let most = 0;
  for (const message of messages) {
    most += MESSAGE_TOKENS + message.content.length;
    if (message.role === 'user') most += IMAGE_TOKENS * (message.images?.length ?? 0);
    if (message.role === 'assistant') {
      most += stateLength(message.state);
      for (const { name, arguments: written, state } of message.toolCalls ?? [])
        most += MESSAGE_TOKENS + name.length + written.length + stateLength(state);
    }
    if (most > budget) return false;
  }
  return true;
}

function stateLength(state: ProviderState | undefined): number {
  return state === undefined ? 0 : JSON.stringify(state).length;
}
