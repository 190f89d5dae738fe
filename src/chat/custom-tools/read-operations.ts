import { cutText, isObject, type JsonObject } from './json-object.ts';
import { METHODS, type Operation, type OperationMethod } from './operation.ts';
import { readArguments } from './read-arguments.ts';
import { wrongDefinition } from './read-openapi.ts';
import { readServer } from './read-server.ts';
import { resolveReference } from './resolve-reference.ts';
import { NameAllocator } from './tool-names.ts';

const MAX_OPERATIONS = 100;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

/**
 * The operations of an OpenAPI 3.1 document, except those that need a body other than JSON, form or text.
 * @throws Problem BAD_REQUEST that names the place and the remedy
 */
export function readOperations(document: JsonObject): Operation[] {
  const { paths } = document;
  if (!isObject(paths) || Object.keys(paths).length === 0) {
    throw wrongDefinition('paths', 'must hold at least one path with an operation');
  }
  const names = new NameAllocator();
  const operations: Operation[] = [];
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue;
    for (const found of operationsOfPath(document, path, value)) {
      if (operations.length === MAX_OPERATIONS) throw tooMany();
      const operation = readOperation(document, found, names);
      if (operation) operations.push(operation);
    }
  }
  if (operations.length > 0) return operations;
  throw wrongDefinition(
    'paths',
    'holds no operation that can be called. GET, POST, PUT, PATCH and DELETE can be, with JSON, form or text as their body',
  );
}

interface FoundOperation {
  path: string;
  method: OperationMethod;
  /** Path in the document, for error messages. */
  place: string;
  pathItem: JsonObject;
  spec: JsonObject;
}

function operationsOfPath(document: JsonObject, path: string, value: unknown): FoundOperation[] {
  const place = `paths.${path}`;
  if (!/^\/[^?#\\\s]*$/.test(path) || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw wrongDefinition(
      place,
      'must begin with / and hold no ?, #, \\, blanks or steps such as ..',
    );
  }
  const pathItem = resolveReference(document, value);
  if (!isObject(pathItem)) throw wrongDefinition(place, 'must be an object with operations');
  return METHODS.flatMap((method) => {
    const spec = resolveReference(document, pathItem[method]);
    if (pathItem[method] === undefined) return [];
    if (!isObject(spec)) throw wrongDefinition(`${place}.${method}`, 'must be an operation');
    // The document has methods in lower case; HTTP needs upper case.
    const upper = method.toUpperCase() as OperationMethod;
    return [{ path, method: upper, place: `${place}.${method}`, pathItem, spec }];
  });
}

function readOperation(
  document: JsonObject,
  found: FoundOperation,
  names: NameAllocator,
): Operation | null {
  const { path, method, place, pathItem, spec } = found;
  const read = readArguments(document, found);
  if (read === null) return null;
  const summary = textOf(spec['summary']);
  const description = [summary, textOf(spec['description'])].filter(Boolean).join('\n');
  const id = spec['operationId'];
  if (id !== undefined && typeof id !== 'string') {
    throw wrongDefinition(`${place}.operationId`, 'must be a text');
  }
  return {
    name: names.allocate(id || `${method.toLowerCase()} ${path.slice(1)}`),
    summary,
    description: cutText(description || `${method} ${path}`, MAX_DESCRIPTION_CHARACTERS),
    method,
    path,
    baseUrl: readServer(place, [spec, pathItem, document]),
    ...read,
    spec,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function tooMany() {
  return wrongDefinition(
    'paths',
    `holds more than ${MAX_OPERATIONS} operations. A model chooses badly among so many: leave out those that it should not use, or make several tools`,
  );
}
