import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { describeApi } from '#src/api/openapi.ts';
import { ROUTES } from '#src/api/routes/index.ts';
import {
  definitionsOf,
  jsonSchema,
  operationOf,
  TYPES_BANNER,
  TYPES_STYLE,
} from './client-types.ts';

/** Path of the types of the console's pages, from the root of the project. */
export const CONSOLE_TYPES_PATH = 'src/console/web/data/api-types.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OPERATION = /'((?:GET|POST|PUT|PATCH|DELETE) \/[^'\s]*)'/g;

/** The endpoints that the pages name, such as `'GET /account/api-keys'`. */
function consoleOperations(): string[] {
  const files = globSync('src/console/web/**/*.ts', { cwd: ROOT });
  const named = files
    .filter((file) => file !== CONSOLE_TYPES_PATH)
    .flatMap((file) => [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(OPERATION)])
    .map(([, operation = '']) => operation);
  return [...new Set(named)].toSorted();
}

/** The content of the file with what each of these endpoints takes and answers. */
export async function generateConsoleTypes(): Promise<string> {
  const description = await describeApi(ROUTES, { version: '', serverUrl: '/' });
  const operations = consoleOperations();
  const root: JSONSchema = {
    title: 'Operations',
    description: 'What each endpoint takes and answers.',
    type: 'object',
    required: operations,
    properties: Object.fromEntries(
      operations.map((name) => [name, exchangeOf(operationOf(description, name))]),
    ),
    definitions: definitionsOf(description),
  };
  return compile(root, 'Operations', {
    bannerComment: TYPES_BANNER,
    additionalProperties: false,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
    style: TYPES_STYLE,
  });
}

function exchangeOf(operation: ReturnType<typeof operationOf>): JSONSchema {
  const { '200': done, '202': later } = operation.responses;
  const reply = jsonSchema(done) ?? jsonSchema(later) ?? {};
  const body = jsonSchema(operation.requestBody);
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const properties: Record<string, JSONSchema> = { reply: { ...reply } };
  if (body !== undefined) properties['body'] = body;
  if (query.length > 0) {
    properties['query'] = {
      type: 'object',
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    };
  }
  return { type: 'object', required: Object.keys(properties), properties };
}
