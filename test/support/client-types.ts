import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { describeApi } from '#src/api/openapi.ts';
import { ROUTES } from '#src/api/routes/index.ts';

/** Path of the generated types, from the root of the project. */
export const CLIENT_TYPES_PATH = 'src/client/api-types.ts';

/** What the client sends and receives. Schemas without a name in the description get one here. */
const OPERATIONS: Readonly<Record<string, { body?: string; reply?: string }>> = {
  'POST /chat/send-chat-message': { body: 'ChatRequest', reply: 'ChatFullResponse' },
  'GET /chat/get-user-chat-sessions': { reply: 'ChatSessionList' },
  'POST /chat/create-chat-session': { body: 'NewChatSession', reply: 'CreatedChatSession' },
  'GET /chat/get-chat-session/{id}': { reply: 'ChatSessionDetailResponse' },
  'PUT /chat/rename-chat-session': { reply: 'RenamedChatSession' },
  'POST /user/projects/file/upload': { reply: 'UploadedFiles' },
  'POST /user/projects/file/statuses': { reply: 'UserFileSnapshots' },
  'GET /tool': { reply: 'ToolSnapshots' },
  'GET /persona': { reply: 'AgentSummaries' },
};

export const TYPES_BANNER =
  '// Made by `npm run client:types` from the OpenAPI description of this service. Do not edit.\n';
export const TYPES_STYLE = { singleQuote: true, printWidth: 100, trailingComma: 'all' } as const;
const ROOT = 'ApiTypes';
const PREFIX = '#/definitions/';

/** The content of the file with the client's TypeScript types. */
export async function generateClientTypes(): Promise<string> {
  const description = await describeApi(ROUTES, { version: '', serverUrl: '/' });
  const definitions = reachableSchemas(description);
  const names = [...definitions.keys()].toSorted();
  const root: JSONSchema = {
    title: ROOT,
    description: 'Every type of this file by its name.',
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { $ref: PREFIX + name }])),
    definitions: Object.fromEntries(names.map((name) => [name, definitions.get(name) ?? {}])),
  };
  return compile(root, ROOT, {
    bannerComment: TYPES_BANNER,
    additionalProperties: false,
    unknownAny: true,
    maxItems: -1,
    style: TYPES_STYLE,
  });
}

/** The bodies and replies of the operations, and every schema they refer to. */
function reachableSchemas(description: Record<string, unknown>): Map<string, JSONSchema> {
  const named = definitionsOf(description);
  const reachable = new Map<string, JSONSchema>();
  const add = (name: string, schema: JSONSchema | undefined): void => {
    if (!schema) throw new Error(`The description has no schema for ${name}.`);
    if (schema.$ref === PREFIX + name) return add(name, named[name]);
    if (reachable.has(name)) return;
    reachable.set(name, schema);
    for (const [, other = ''] of JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g))
      add(other, named[other]);
  };
  for (const [call, { body, reply }] of Object.entries(OPERATIONS)) {
    const operation = operationOf(description, call);
    if (body !== undefined) add(body, jsonSchema(operation.requestBody));
    if (reply !== undefined) add(reply, jsonSchema(operation.responses['200']));
  }
  return reachable;
}

/** The named schemas of the description. */
export function definitionsOf(description: Record<string, unknown>): Record<string, JSONSchema> {
  // We generate the description ourselves.
  const { schemas } = description['components'] as { schemas: Record<string, unknown> };
  return toDefinitions(schemas) as Record<string, JSONSchema>;
}

interface Content {
  content?: Record<string, { schema: unknown }>;
}

interface DescribedOperation {
  parameters?: { name: string; in: string; schema: JSONSchema }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

export function operationOf(
  description: Record<string, unknown>,
  call: string,
): DescribedOperation {
  const [method = '', path = ''] = call.split(' ');
  const paths = description['paths'] as Record<string, Record<string, DescribedOperation>>;
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`The description has no ${call}.`);
  return operation;
}

export function jsonSchema(part: Content | undefined): JSONSchema | undefined {
  return toDefinitions(part?.content?.['application/json']?.schema) as JSONSchema | undefined;
}

/**
 * JSON Schema has no `components`: its named schemas are under `definitions`. Objects that allow unknown keys are
 * closed, so that the compiler catches misspelled ones.
 */
function toDefinitions(value: unknown): unknown {
  if (typeof value === 'string') return value.replace('#/components/schemas/', PREFIX);
  if (Array.isArray(value)) return value.map(toDefinitions);
  if (typeof value !== 'object' || value === null) return value;
  const isOpen = 'properties' in value && 'additionalProperties' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isOpen && key === 'additionalProperties'))
      .map(([key, inner]) => [key, toDefinitions(inner)]),
  );
}
