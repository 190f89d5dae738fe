/** An image for the model to look at. */
export interface ModelImage {
  mediaType: string;
  bytes: Uint8Array;
}

/**
 * Data that a provider attaches to its message or to a tool call and expects back with the results of the tools:
 * signatures, its reasoning. The members are the provider's own, under its names.
 */
export type ProviderState = Readonly<Record<string, unknown>>;

/** A tool call that the model requests. */
export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it, which may be invalid. */
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
      /** From the answer that made these calls; sent back only to the model that gave it. */
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
  /** `auto` by default; `required`: it must call one of them. */
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

/** A piece of the model's reasoning, text or tool calls, in order of arrival; `finish` comes last. */
export type ChatModelPart =
  | { type: 'reasoning' | 'text'; text: string }
  | { type: 'tool-call'; call: ModelToolCall }
  | {
      type: 'finish';
      reason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';
      /** Null when the provider does not say. */
      usage: ModelUsage | null;
      /** Sent back with the calls of this answer; absent when there is nothing to send back. */
      state?: ProviderState;
    };

/** A language model that streams its answer. `llm.ts` creates the one that talks to a provider. */
export interface ChatModel {
  /** Its `llm_override.model_provider` in requests. */
  readonly provider: string;
  /** Its `llm_override.model_version` in requests. */
  readonly name: string;
  /** Tokens of input and output together. */
  readonly contextTokens: number;
  /** False: the model is never shown tools, and documents are searched before it is called. */
  readonly callsTools: boolean;
  readonly readsImages: boolean;
  /** @throws ModelFailed when the provider fails; the signal's reason when it aborts */
  stream(request: ChatModelRequest): AsyncIterable<ChatModelPart>;
}
