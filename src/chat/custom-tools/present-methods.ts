import { z } from 'zod';
import { readOpenApi } from './read-openapi.ts';
import { readOperations } from './read-operations.ts';

export const methodSpecSchema = z.object({
  name: z.string().describe('What the model calls it.'),
  summary: z.string(),
  description: z.string(),
  path: z.string(),
  method: z.string().describe('In lower case.'),
  server_url: z.string(),
  parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of its arguments.'),
  spec: z.record(z.string(), z.unknown()).describe('As the document has it.'),
  custom_headers: z.array(z.unknown()),
});

/**
 * The operations of a document as offered to a model.
 * @throws Problem BAD_REQUEST
 */
export function presentMethods(definition: unknown): z.output<typeof methodSpecSchema>[] {
  return readOperations(readOpenApi(definition).upgraded).map((operation) => ({
    name: operation.name,
    summary: operation.summary || operation.description,
    description: operation.description,
    path: operation.path,
    method: operation.method.toLowerCase(),
    server_url: operation.baseUrl,
    parameters: { ...operation.schema },
    spec: { ...operation.spec },
    custom_headers: [],
  }));
}
