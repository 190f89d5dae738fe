import type {
  ChatModel,
  ChatModelPart,
  ChatModelRequest,
  ModelToolCall,
} from '#src/chat/model/chat-model.ts';

type ScriptedPart = ChatModelPart | Error;
export type ScriptedParts = Iterable<ScriptedPart> | AsyncIterable<ScriptedPart>;

/**
 * A model whose answer is a function of the request. An Error among the parts is thrown, and `finish` is added when the
 * script has none.
 */
export function scriptedChatModel(
  script: (request: ChatModelRequest, index: number) => ScriptedParts,
  facts: Partial<Omit<ChatModel, 'stream'>> = {},
): ChatModel & { requests: ChatModelRequest[]; running(): number } {
  const requests: ChatModelRequest[] = [];
  let running = 0;
  return {
    provider: 'openai-compatible',
    name: 'scripted-model',
    contextTokens: 128_000,
    callsTools: true,
    readsImages: false,
    ...facts,
    requests,
    running: () => running,
    async *stream(request) {
      const index = requests.push(request) - 1;
      running += 1;
      try {
        let isFinished = false;
        for await (const part of script(request, index)) {
          request.signal.throwIfAborted();
          if (part instanceof Error) throw part;
          isFinished ||= part.type === 'finish';
          yield part;
        }
        if (!isFinished) yield { type: 'finish', reason: 'stop', usage: null };
      } finally {
        running -= 1;
      }
    },
  };
}

/** A tool call, with arguments as JSON, or as the invalid text that a model might write. */
export function callTool(name: string, input: unknown, id: string = `call-${name}`): ChatModelPart {
  const call: ModelToolCall = {
    id,
    name,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
  };
  return { type: 'tool-call', call };
}

/** Rejects with the signal's reason when it is aborted, and never settles otherwise. */
export function untilEnded(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // An abort may have any reason.
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}
