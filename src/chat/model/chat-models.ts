import type { ChatModel } from './chat-model.ts';
import type { LlmOverride } from './llm-override.ts';

/** The configured models. */
export interface ChatModels {
  /** Null when none is configured: answers are then extractive. */
  readonly default: ChatModel | null;
  /** Looks at images; null when no model can. */
  readonly vision: ChatModel | null;
  /** By provider, the default first. */
  readonly all: readonly ChatModel[];
  /** Identifiers that the reference family's `model` may be, at most three, the default first. */
  readonly named: ReadonlyMap<string, ChatModel | null>;
  /**
   * The model that an override names; the default one when it names none.
   * @throws Problem BAD_REQUEST that says what is configured
   */
  choose(override: Pick<LlmOverride, 'model_provider' | 'model_version'> | null): ChatModel | null;
}
