import type { ChatModel, ChatModelPart, ChatModelRequest } from '#src/chat/chat-model.ts';

/** A model that streams `parts` (an Error among them is thrown) and remembers what it was asked. */
export function fakeChatModel(
  parts: readonly (ChatModelPart | Error)[],
): ChatModel & { requests: ChatModelRequest[] } {
  const requests: ChatModelRequest[] = [];
  return {
    provider: 'openai-compatible',
    name: 'test-model',
    requests,
    async *stream(request) {
      requests.push(request);
      for (const part of parts) {
        await Promise.resolve();
        request.signal.throwIfAborted();
        if (part instanceof Error) throw part;
        yield part;
      }
    },
  };
}

export const say = (text: string): ChatModelPart => ({ type: 'text', text });
export const think = (text: string): ChatModelPart => ({ type: 'reasoning', text });
