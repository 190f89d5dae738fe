import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { describeApi } from '#src/api/openapi.ts';
import { ROUTES } from '#src/api/routes/index.ts';

/** Where the types lie, from the root of the project. */
export const CLIENT_TYPES_PATH = 'src/client/api-types.ts';

/** What the client sends and gets. What is no named schema of the description is given a name here. */
const OPERATIONS: Readonly<Record<string, { body?: string; query?: string; reply?: string }>> = {
  'POST /chat/send-chat-message': { body: 'ChatRequest', reply: 'ChatFullResponse' },
  'GET /chat/get-user-chat-sessions': { query: 'ListSessionsQuery', reply: 'ChatSessionList' },
  'POST /chat/create-chat-session': { body: 'NewChatSession', reply: 'CreatedChatSession' },
  'GET /chat/get-chat-session/{id}': { reply: 'ChatSessionDetailResponse' },
  'PUT /chat/rename-chat-session': { reply: 'RenamedChatSession' },
  'POST /user/projects/file/upload': { reply: 'UploadedFiles' },
  'POST /user/projects/file/statuses': { reply: 'UserFileSnapshots' },
  'GET /tool': { reply: 'ToolSnapshots' },
  'GET /persona': { reply: 'AgentSummaries' },
};

const BANNER = `// Made by \`npm run client:types\` from the OpenAPI description of this service. Do not edit.
`;

/** The TypeScript types of the client, as they are to stand in the file. */
export async function generateClientTypes(): Promise<string> {
  const description = describeApi(ROUTES, { version: '', serverUrl: '/' });
  const named = definitionsOf(description);
  const reachable = new Map<string, JSONSchema>();
  const add = (name: string, schema: JSONSchema): void => {
    if (reachable.has(name)) return;
    reachable.set(name, schema);
    for (const other of refsIn(schema)) add(other, definitionNamed(named, other));
  };
  for (const [call, names] of Object.entries(OPERATIONS)) {
    for (const { name, schema } of schemasOf(description, call, names)) {
      if (refOf(schema) === name) add(name, definitionNamed(named, name));
      else add(name, schema);
    }
  }
  const definitions = Object.fromEntries([...reachable].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const root: JSONSchema = {
    title: ROOT,
    description: 'Every type of this file by its name.',
    type: 'object',
    additionalProperties: false,
    required: Object.keys(definitions),
    properties: Object.fromEntries(
      Object.keys(definitions).map((name) => [name, { $ref: `#/definitions/${name}` }]),
    ),
    definitions,
  };
  return compile(root, ROOT, {
    bannerComment: BANNER,
    additionalProperties: false,
    unknownAny: true,
    maxItems: -1,
    style: { singleQuote: true, printWidth: 100, trailingComma: 'all' },
  });
}

const ROOT = 'ApiTypes';

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: JSONSchema }[];
  requestBody?: { content: Record<string, { schema: JSONSchema }> };
  responses: Record<string, { content: Record<string, { schema: JSONSchema }> }>;
}

function schemasOf(
  description: Record<string, unknown>,
  call: string,
  names: { body?: string; query?: string; reply?: string },
): { name: string; schema: JSONSchema }[] {
  const [method = '', path = ''] = call.split(' ');
  // The description is JSON of our own making.
  const paths = description['paths'] as Record<string, Record<string, Operation>>;
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`The description has no ${call}.`);
  const found: [string | undefined, JSONSchema | undefined][] = [
    [names.body, operation.requestBody?.content['application/json']?.schema],
    [names.query, querySchema(operation)],
    [names.reply, operation.responses['200']?.content['application/json']?.schema],
  ];
  return found.flatMap(([name, schema]) => {
    if (name === undefined) return [];
    if (!schema) throw new Error(`${call} has nothing to be called ${name}.`);
    return [{ name, schema: withDefinitions(schema) }];
  });
}

function querySchema({ parameters }: Operation): JSONSchema {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

function definitionsOf(description: Record<string, unknown>): Record<string, JSONSchema> {
  const { schemas } = description['components'] as { schemas: Record<string, JSONSchema> }; // as above
  return withDefinitions(schemas);
}

/** JSON Schema has no `components`; its named schemas lie under `definitions`. */
function withDefinitions<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', PREFIX)) as T; // the same with other names
}

const PREFIX = '#/definitions/';

function definitionNamed(named: Record<string, JSONSchema>, name: string): JSONSchema {
  const schema = named[name];
  if (!schema) throw new Error(`The description has no schema ${name}.`);
  return schema;
}

function refOf(schema: JSONSchema): string | undefined {
  return schema.$ref?.replace(PREFIX, '');
}

function refsIn(schema: JSONSchema): string[] {
  const refs = JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g);
  return [...refs].map(([, name]) => name ?? '');
}
