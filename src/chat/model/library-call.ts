import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';

import type { ChatModelMessage, ChatModelRequest, ModelToolCall } from './chat-model.ts';

// The library's model without the layers above it that run tools, keep whole answers and parse arguments.
export type LibraryModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
type LibraryCall = Parameters<LibraryModel['doStream']>[0];
type LibraryMessage = LibraryCall['prompt'][number];
type LibraryStream = Awaited<ReturnType<LibraryModel['doStream']>>['stream'];
export type LibraryPart = LibraryStream extends ReadableStream<infer Part> ? Part : never;
type LibraryOptions = NonNullable<LibraryMessage['providerOptions']>[string];

/** A request in the format of the provider library. */
export function libraryCall(
  request: ChatModelRequest,
  { callsTools, readsImages }: { callsTools: boolean; readsImages: boolean },
): LibraryCall {
  const tools = callsTools ? (request.tools ?? []) : [];
  return {
    prompt: request.messages.map((message) => libraryMessage(message, readsImages)),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: { type: request.toolChoice ?? 'auto' },
    }),
    // Only the raw chunks contain refusals and data that providers want back.
    includeRawChunks: true,
    abortSignal: request.signal,
  };
}

function libraryMessage(message: ChatModelMessage, readsImages: boolean): LibraryMessage {
  switch (message.role) {
    case 'system':
      return message;
    case 'user': {
      const images = readsImages ? (message.images ?? []) : [];
      const files = images.map(({ mediaType, bytes }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data: bytes },
      }));
      return { role: 'user', content: [{ type: 'text', text: message.content }, ...files] };
    }
    case 'assistant': {
      const { content, toolCalls = [], state } = message;
      const calls = toolCalls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        // Sent back unchanged; the library quotes arguments that are not JSON.
        input: call.arguments,
        ...withState(call.state),
      }));
      return {
        role: 'assistant',
        content: [{ type: 'text', text: content }, ...calls],
        ...withState(state),
      };
    }
    case 'tool': {
      const { toolCallId, toolName, content } = message;
      const output = { type: 'text' as const, value: content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
  }
}

/** The library copies these members onto the message or call unchanged. */
function withState(state: ModelToolCall['state']): {
  providerOptions?: { openaiCompatible: LibraryOptions };
} {
  // It was parsed from JSON, so it is JSON.
  return state === undefined
    ? {}
    : { providerOptions: { openaiCompatible: state as LibraryOptions } };
}
