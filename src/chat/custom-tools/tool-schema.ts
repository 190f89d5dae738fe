import { cutText, isObject, type JsonObject } from './json-object.ts';
import { resolveReference } from './resolve-reference.ts';

/** For the arguments of one tool, as JSON: a model reads it at every call. */
const MAX_SCHEMA_CHARACTERS = 6_000;
const MAX_DESCRIPTION_CHARACTERS = 300;
const MAX_ENUM_VALUES = 100;
/** Tried in turn until the schema is short enough. */
const CUTS = [
  ...[10, 6, 4, 2, 1].map((levels) => ({ levels, isDescribed: true })),
  ...[2, 1].map((levels) => ({ levels, isDescribed: false })),
];
/** Limit on schemas in one, because a few references may expand to a great many. */
const MAX_SCHEMAS = 1_000;

const PLAIN_KEYWORDS = [
  'format',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
] as const;
const TYPES: readonly unknown[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
];

/**
 * A JSON Schema as shown to a model: without references, and truncated where it is too deep, too long or circular. A
 * truncated part accepts any value.
 * @param document resolves its `$ref`s
 */
export function schemaForModel(schema: unknown, document: JsonObject): JsonObject {
  for (const cut of CUTS) {
    const place = { document, ...cut, ancestors: [], count: { left: MAX_SCHEMAS } };
    const inlined = inline(schema, place);
    if (JSON.stringify(inlined).length <= MAX_SCHEMA_CHARACTERS) return inlined;
  }
  return { type: 'object' };
}

interface Place {
  document: JsonObject;
  levels: number;
  isDescribed: boolean;
  /** The enclosing schemas: one of them again would recurse for ever. */
  ancestors: readonly JsonObject[];
  count: { left: number };
}

function inline(schema: unknown, place: Place): JsonObject {
  const found = resolveReference(place.document, schema);
  place.count.left -= 1;
  if (!isObject(found) || place.count.left < 0) return {};
  const types = typesOf(found);
  const facts = { ...types, ...(place.isDescribed && describe(found, schema)) };
  if (place.levels === 0 || place.ancestors.includes(found)) return facts;
  const inner: Place = {
    ...place,
    levels: place.levels - 1,
    ancestors: [...place.ancestors, found],
  };
  return { ...facts, ...limitsOf(found), ...partsOf(found, inner) };
}

function typesOf({ type }: JsonObject): JsonObject {
  if (TYPES.includes(type)) return { type };
  if (Array.isArray(type) && type.length > 0 && type.every((one) => TYPES.includes(one))) {
    return { type };
  }
  return {};
}

/** A description next to a reference is more specific than the one it refers to. */
function describe(found: JsonObject, original: unknown): JsonObject {
  const own = isObject(original) ? original['description'] : undefined;
  const description = typeof own === 'string' ? own : found['description'];
  if (typeof description !== 'string' || description.trim() === '') return {};
  return { description: cutText(description.trim(), MAX_DESCRIPTION_CHARACTERS) };
}

function limitsOf(schema: JsonObject): JsonObject {
  const entries = PLAIN_KEYWORDS.flatMap((keyword) =>
    isPrimitive(schema[keyword]) ? [[keyword, schema[keyword]] as const] : [],
  );
  const values = schema['enum'];
  const isShown =
    Array.isArray(values) && values.length <= MAX_ENUM_VALUES && values.every(isPrimitive);
  const constant = schema['const'];
  return {
    ...Object.fromEntries(entries),
    ...(isShown && values.length > 0 && { enum: values }),
    ...(isPrimitive(constant) && { const: constant }),
  };
}

function isPrimitive(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null);
}

function partsOf(schema: JsonObject, inner: Place): JsonObject {
  const parts: Record<string, unknown> = {};
  const { properties, required, additionalProperties: additional, items } = schema;
  if (isObject(properties)) {
    parts['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, inline(one, inner)]),
    );
  }
  if (Array.isArray(required) && required.every((name) => typeof name === 'string')) {
    parts['required'] = required;
  }
  if (typeof additional === 'boolean') parts['additionalProperties'] = additional;
  if (isObject(additional)) parts['additionalProperties'] = inline(additional, inner);
  if (isObject(items)) parts['items'] = inline(items, inner);
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const choices = schema[keyword];
    if (!Array.isArray(choices) || choices.length === 0) continue;
    parts[keyword] = choices.map((choice) => inline(choice, inner));
  }
  return parts;
}
