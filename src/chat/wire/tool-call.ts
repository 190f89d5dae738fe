import { z } from 'zod';

import { searchDocSchema } from '#src/documents/search/search-hit.ts';
import { generatedImageSchema } from './packets.ts';

/** One tool call in the complete response. */
export const toolCallSchema = z
  .object({
    tool_name: z.string(),
    tool_arguments: z.record(z.string(), z.unknown()),
    /** What the model saw. */
    tool_result: z.string(),
    search_docs: z.array(searchDocSchema).nullable(),
    generated_images: z.array(generatedImageSchema).nullable(),
    pre_reasoning: z.string().nullable(),
  })
  .meta({ id: 'ToolCallResponse' });
export type ToolCall = z.output<typeof toolCallSchema>;
