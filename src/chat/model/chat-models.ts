import type { ChatModel } from './chat-model.ts';
import type { LlmOverride } from './llm-override.ts';

/** The configured models. */
export interface ChatModels {
  /** Null when none is configured: answers are then extractive. */
  readonly default: ChatModel | null;
  /** The model for images; null when none reads them. */
  readonly vision: ChatModel | null;
  /** By provider, the default first. */
  readonly all: readonly ChatModel[];
  /** The allowed values of `model` in the reference family, at most three, the default first. */
  readonly named: ReadonlyMap<string, ChatModel | null>;
  /**
   * The model that an override names, or the default.
   * @throws Problem BAD_REQUEST that lists what is configured
   */
  choose(override: Pick<LlmOverride, 'model_provider' | 'model_version'> | null): ChatModel | null;
}
