import { z } from 'zod';
import { headersSchema } from './custom-headers.ts';

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const storableText = (maxCharacters: number) =>
  z.string().max(maxCharacters).refine(isStorable, 'must not hold NUL or half surrogate pairs');

const nameSchema = storableText(100).trim().min(1, 'must not be empty');
const descriptionSchema = storableText(2_000);

const definition = z
  // Not a record, which is checked key by key.
  .union([z.looseObject({}), z.string()])
  .describe('An OpenAPI 3.0 or 3.1 or Swagger 2.0 document: an object, or its JSON or YAML.');

/** Would need OAuth, which is not supported. */
const oauthConfig = z
  .null({ error: 'must be null: tools sign in with custom_headers or passthrough_auth' })
  .optional();

const fields = {
  name: nameSchema,
  description: descriptionSchema.nullish(),
  definition,
  custom_headers: headersSchema
    .nullish()
    .describe('Sent with every call. Stored encrypted, shown masked.'),
  passthrough_auth: z
    .boolean()
    .optional()
    .describe("Sends the Authorization header of the chat request on to the tool's server."),
  oauth_config_id: oauthConfig,
  enabled: z.boolean().optional(),
};

export const newToolSchema = z.object(fields).meta({ id: 'NewCustomTool' });
export type NewTool = z.output<typeof newToolSchema>;

/** Fields that are not sent stay unchanged. */
export const toolChangeSchema = newToolSchema.partial().meta({ id: 'CustomToolChange' });
export type ToolChange = z.output<typeof toolChangeSchema>;

export const toolCheckSchema = z.object({ definition });

const serverFields = {
  name: nameSchema,
  description: descriptionSchema.nullish(),
  server_url: storableText(2_000).describe('Of its streamable HTTP endpoint.'),
  headers: headersSchema
    .nullish()
    .describe('Sent with every call. Stored encrypted, shown masked.'),
  enabled: z.boolean().optional(),
};

export const newServerSchema = z.strictObject(serverFields).meta({ id: 'NewMcpServer' });
export type NewServer = z.output<typeof newServerSchema>;

/** Fields that are not sent stay unchanged. */
export const serverChangeSchema = newServerSchema.partial().meta({ id: 'McpServerChange' });
export type ServerChange = z.output<typeof serverChangeSchema>;

/** Ids are database integers. */
const rowId = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
export const oneRow = z.object({ id: rowId });
