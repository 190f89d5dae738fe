export interface ChatModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatModelRequest {
  messages: readonly ChatModelMessage[];
  /** 0 to 2; null leaves it to the provider. */
  temperature: number | null;
  signal: AbortSignal;
}

/** A piece of what the model thinks (`reasoning`) or says (`text`), in the order in which it arrives. */
export interface ChatModelPart {
  type: 'reasoning' | 'text';
  text: string;
}

/** A language model that streams its answer. `llm.ts` makes the one that talks to a provider. */
export interface ChatModel {
  /** What a request calls `llm_override.model_provider`. */
  readonly provider: string;
  /** What a request calls `llm_override.model_version`. */
  readonly name: string;
  /** @throws Problem BAD_GATEWAY when the provider fails; the signal's reason when it aborts */
  stream(request: ChatModelRequest): AsyncIterable<ChatModelPart>;
}
