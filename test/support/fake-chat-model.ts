import type { ChatModel, ChatModelPart, ChatModelRequest } from '#src/chat/model/chat-model.ts';

type Parts = readonly (ChatModelPart | Error)[];

export interface FakeChatModel extends ChatModel {
  /** Its requests, call by call. */
  requests: ChatModelRequest[];
}

/**
 * A model that streams `parts` (an Error among them is thrown) and records its requests. A function returns the parts
 * of each call.
 */
export function fakeChatModel(
  parts: Parts | ((request: ChatModelRequest, call: number) => Parts),
  facts: Partial<Omit<ChatModel, 'stream'>> = {},
): FakeChatModel {
  const requests: ChatModelRequest[] = [];
  return {
    provider: 'openai-compatible',
    name: 'test-model',
    contextTokens: 128_000,
    callsTools: true,
    readsImages: false,
    ...facts,
    requests,
    async *stream(request) {
      requests.push(request);
      const played = typeof parts === 'function' ? parts(request, requests.length - 1) : parts;
      for (const part of played) {
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
/** `input` as JSON, or a string that is sent unchanged. */
export const callTool = (name: string, input: unknown, id: string = name): ChatModelPart => ({
  type: 'tool-call',
  call: { id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
});
export const finish = (
  reason: Extract<ChatModelPart, { type: 'finish' }>['reason'] = 'stop',
): ChatModelPart => ({ type: 'finish', reason, usage: null });
