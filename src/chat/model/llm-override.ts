import { z } from 'zod';

export const llmOverrideSchema = z
  .looseObject({
    model_provider: z.string().nullish(),
    model_version: z.string().nullish(),
    temperature: z.number().min(0).max(2).nullish(),
  })
  .meta({ id: 'LlmOverride' });
export type LlmOverride = z.output<typeof llmOverrideSchema>;
