import { z } from 'zod';

import { Problem } from '#src/platform/errors.ts';
import type { ChatModel } from './chat-model.ts';

export const llmOverrideSchema = z.looseObject({
  model_provider: z.string().nullish(),
  model_version: z.string().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
});
export type LlmOverride = z.output<typeof llmOverrideSchema>;

/**
 * An override may name what is configured and nothing else; blank names count as none.
 * @throws Problem BAD_REQUEST that says what is configured
 */
export function checkOverride(override: LlmOverride | null, model: ChatModel | null): void {
  const provider = override?.model_provider?.trim() ?? '';
  const version = override?.model_version?.trim() ?? '';
  if (provider === '' && version === '') return;
  if (model === null)
    throw new Problem(
      'BAD_REQUEST',
      'llm_override names a model, but no language model is configured here: answers are extractive. Leave model_provider and model_version out.',
    );
  const isKnown =
    (provider === '' || provider.toLowerCase() === model.provider.toLowerCase()) &&
    (version === '' || version === model.name);
  if (!isKnown)
    throw new Problem(
      'BAD_REQUEST',
      `llm_override: the configured model is model_provider "${model.provider}" with model_version "${model.name}". Name these, or leave both out.`,
    );
}
