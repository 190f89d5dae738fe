import { z } from 'zod';

import type { ChatModels } from './chat-models.ts';

/** A configured provider with its models, without its URL and key. */
export const providerSchema = z
  .object({
    id: z.int(),
    name: z.string().describe('What llm_override.model_provider takes.'),
    provider: z.string(),
    default_model_name: z.string(),
    fast_default_model_name: z.string().nullable(),
    is_default_provider: z.boolean(),
    is_default_vision_provider: z.boolean(),
    default_vision_model: z.string().nullable(),
    model_configurations: z.array(
      z.object({
        name: z.string().describe('What llm_override.model_version takes.'),
        is_visible: z.boolean(),
        max_input_tokens: z.int().nullable(),
        supports_image_input: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'LanguageModelProvider' });

/** The default provider first; within each, its default model first. */
export function presentModels({
  all,
  vision,
}: Pick<ChatModels, 'all' | 'vision'>): z.input<typeof providerSchema>[] {
  const byProvider = Map.groupBy(all, ({ provider }) => provider);
  return [...byProvider].map(([provider, models], index) => {
    const looksAtImages = vision?.provider === provider;
    return {
      id: index + 1,
      name: provider,
      provider,
      default_model_name: models[0]?.name ?? '',
      fast_default_model_name: null,
      is_default_provider: index === 0,
      is_default_vision_provider: looksAtImages,
      default_vision_model: looksAtImages ? vision.name : null,
      model_configurations: models.map((model) => ({
        name: model.name,
        is_visible: true,
        max_input_tokens: model.contextTokens,
        supports_image_input: model.readsImages,
      })),
    };
  });
}
