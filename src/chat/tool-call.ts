import { z } from 'zod';

import { searchDocSchema } from '#src/documents/search-hit.ts';

/** One use of a tool, as the complete response lists it. */
export const toolCallSchema = z.object({
  tool_name: z.string(),
  tool_arguments: z.object({ queries: z.array(z.string()) }),
  /** What the model saw. */
  tool_result: z.string(),
  search_docs: z.array(searchDocSchema).nullable(),
  generated_images: z.null(),
  pre_reasoning: z.string().nullable(),
});
export type ToolCall = z.output<typeof toolCallSchema>;
