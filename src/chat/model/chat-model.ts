/** An image that a model is to look at. */
export interface ModelImage {
  mediaType: string;
  bytes: Uint8Array;
}

/**
 * What a provider adds to its message, or to a call in it, and must find there again when the results of the tools come:
 * signatures, its reasoning. The members are the provider's own, under the names that it gave them.
 */
export type ProviderState = Readonly<Record<string, unknown>>;

/** A use of a tool that the model asks for. */
export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it, which may be no JSON at all. */
  arguments: string;
  state?: ProviderState;
}

export type ChatModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ModelImage[] }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: readonly ModelToolCall[];
      /** Of the answer that made these calls, for the model that gave it and for no other. */
      state?: ProviderState;
    }
  | { role: 'tool'; toolCallId: string; toolName: string; content: string };

/** A tool as the model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments, an object. */
  parameters: Readonly<Record<string, unknown>>;
}

export interface ChatModelRequest {
  messages: readonly ChatModelMessage[];
  /** 0 to 2; null leaves it to the provider. */
  temperature: number | null;
  tools?: readonly ModelTool[];
  /** `auto` unless told; `required`: it must call one of them. */
  toolChoice?: 'auto' | 'required';
  maxOutputTokens?: number;
  signal: AbortSignal;
}

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  /** Part of `outputTokens`. */
  reasoningTokens: number;
}

/** A piece of what the model thinks, says or asks for, in the order in which it arrives; `finish` is the last one. */
export type ChatModelPart =
  | { type: 'reasoning' | 'text'; text: string }
  | { type: 'tool-call'; call: ModelToolCall }
  | {
      type: 'finish';
      reason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';
      /** Null when the provider does not say. */
      usage: ModelUsage | null;
      /** Goes back with the calls of this answer; absent when there is nothing to send back. */
      state?: ProviderState;
    };

/** A language model that streams its answer. `llm.ts` makes the one that talks to a provider. */
export interface ChatModel {
  /** What a request calls `llm_override.model_provider`. */
  readonly provider: string;
  /** What a request calls `llm_override.model_version`. */
  readonly name: string;
  /** Tokens of input and output together. */
  readonly contextTokens: number;
  /** False: the model is never shown tools, and documents are searched for before it is asked. */
  readonly callsTools: boolean;
  readonly readsImages: boolean;
  /** @throws ModelFailed when the provider fails; the signal's reason when it aborts */
  stream(request: ChatModelRequest): AsyncIterable<ChatModelPart>;
}
