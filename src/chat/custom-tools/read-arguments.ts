import { isObject, type JsonObject } from './json-object.ts';
import type { Operation, OperationBody, OperationParameter } from './operation.ts';
import { wrongDefinition } from './read-openapi.ts';
import { resolveReference } from './resolve-reference.ts';
import { schemaForModel } from './tool-schema.ts';

const MAX_PARAMETERS = 100;

/** A parameter of an operation, with what the model is told about it. */
interface Argument {
  schema: JsonObject;
  isRequired: boolean;
}

interface OperationSource {
  path: string;
  place: string;
  method: string;
  pathItem: JsonObject;
  spec: JsonObject;
}

/**
 * The arguments that a model may give to an operation: path and query parameters and the body. Headers and cookies
 * belong to the administrator.
 * @returns null when the operation needs a body of a type that cannot be sent
 * @throws Problem BAD_REQUEST
 */
export function readArguments(
  document: JsonObject,
  source: OperationSource,
): Pick<Operation, 'parameters' | 'body' | 'schema'> | null {
  const described = new Map<string, Argument>();
  const parameters: OperationParameter[] = [];
  for (const { parameter, place } of parametersOf(document, source)) {
    const read = readParameter(document, parameter, place, described);
    if (read) parameters.push(read);
  }
  assertAllDeclared(source, parameters);
  const body = source.method === 'GET' ? null : readBody(document, source, described);
  if (body === 'impossible') return null;
  const required = [...described].filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries([...described].map(([name, one]) => [name, one.schema])),
    required,
    additionalProperties: false,
  };
  return { parameters, body, schema: schemaForModel(schema, document) };
}

/** Parameters of the operation override those of its path. */
function parametersOf(
  document: JsonObject,
  { pathItem, spec, place }: OperationSource,
): { parameter: JsonObject; place: string }[] {
  const found = new Map<string, { parameter: JsonObject; place: string }>();
  for (const owner of [pathItem, spec]) {
    const list = owner['parameters'] ?? [];
    const where = `${place}.parameters`;
    if (!Array.isArray(list) || list.length > MAX_PARAMETERS) {
      throw wrongDefinition(where, `must be a list of at most ${MAX_PARAMETERS} parameters`);
    }
    for (const [index, value] of list.entries()) {
      const parameter = resolveReference(document, value);
      const at = `${where}[${index}]`;
      if (!isObject(parameter)) {
        throw wrongDefinition(at, 'must be a parameter, or refer to one that is in the document');
      }
      const { name, in: location } = parameter;
      if (typeof name !== 'string' || name === '' || typeof location !== 'string') {
        throw wrongDefinition(at, 'must have a name and an "in": path or query');
      }
      found.set(`${location} ${name}`, { parameter, place: at });
    }
  }
  return [...found.values()];
}

function readParameter(
  document: JsonObject,
  parameter: JsonObject,
  place: string,
  described: Map<string, Argument>,
): OperationParameter | null {
  const { name, in: location } = parameter;
  if (typeof name !== 'string' || (location !== 'path' && location !== 'query')) return null;
  const content = isObject(parameter['content']) ? Object.values(parameter['content'])[0] : null;
  const inner = isObject(content) ? content['schema'] : parameter['schema'];
  const resolved = resolveReference(document, inner ?? {});
  if (!isObject(resolved)) {
    throw wrongDefinition(`${place}.schema`, 'refers to something that is not in the document');
  }
  const argument = described.has(name) ? `${location}_${name}` : name;
  const { description } = parameter;
  described.set(argument, {
    schema: { ...resolved, ...(typeof description === 'string' && { description }) },
    isRequired: location === 'path' || parameter['required'] === true,
  });
  const style = parameter['style'];
  const usualStyle = location === 'path' ? 'simple' : 'form';
  const chosen = typeof style === 'string' ? style : usualStyle;
  const explode = parameter['explode'];
  return {
    name,
    in: location,
    argument,
    style: chosen,
    explode: typeof explode === 'boolean' ? explode : chosen === 'form',
    isJson: isObject(content),
  };
}

function assertAllDeclared(
  { path, place }: OperationSource,
  parameters: readonly OperationParameter[],
): void {
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (parameters.some((one) => one.in === 'path' && one.name === name)) continue;
    throw wrongDefinition(
      `${place}.parameters`,
      `must hold {"name": "${name}", "in": "path"}, because the path names {${name}}`,
    );
  }
}

function readBody(
  document: JsonObject,
  { spec, place }: OperationSource,
  described: Map<string, Argument>,
): OperationBody | 'impossible' | null {
  if (spec['requestBody'] === undefined) return null;
  const body = resolveReference(document, spec['requestBody']);
  if (!isObject(body) || !isObject(body['content'])) {
    throw wrongDefinition(`${place}.requestBody`, 'must have a content, or refer to one that has');
  }
  const isRequired = body['required'] === true;
  const types = Object.entries(body['content']);
  const chosen =
    types.find(([type]) => formatOf(type) === 'json') ?? types.find(([type]) => formatOf(type));
  const format = chosen ? formatOf(chosen[0]) : null;
  if (!chosen || format === null) return isRequired ? 'impossible' : null;
  const [mediaType, content] = chosen;
  const argument = described.has('body') ? 'request_body' : 'body';
  const schema = isObject(content) ? content['schema'] : undefined;
  described.set(argument, { schema: isObject(schema) ? schema : {}, isRequired });
  return { mediaType: mediaType.includes('*') ? 'application/json' : mediaType, format, argument };
}

function formatOf(mediaType: string): OperationBody['format'] | null {
  const type = mediaType.toLowerCase().split(';')[0]?.trim() ?? '';
  if (/^application\/(?:[\w.-]+\+)?json$/.test(type) || type === '*/*' || type === 'application/*')
    return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type === 'text/plain' ? 'text' : null;
}
