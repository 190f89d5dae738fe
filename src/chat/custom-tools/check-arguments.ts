import { z } from 'zod';
import { WrongArguments } from '#src/chat/tools/tool.ts';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { cutText, isObject, type JsonObject } from './json-object.ts';

const MAX_LEVELS = 40;
const MAX_COMPLAINT_CHARACTERS = 2_000;

/**
 * Validates the arguments against the schema: types, required ones, choices and bounds. Patterns and formats are left
 * to the service, because a foreign pattern may keep a matcher busy for hours.
 * @param schema as made by `schemaForModel`
 * @throws WrongArguments that names what is wrong
 */
export function checkArguments(schema: JsonObject, input: unknown): JsonObject {
  if (!isObject(input)) throw new WrongArguments('The arguments are wrong. Send a JSON object.');
  if (isNestedDeeper(input, MAX_LEVELS)) {
    throw new WrongArguments(`The arguments are nested more than ${MAX_LEVELS} levels deep.`);
  }
  const complaint = complainOf(schema, input);
  if (complaint === null) return input;
  throw new WrongArguments(
    `The arguments are wrong. ${cutText(complaint, MAX_COMPLAINT_CHARACTERS)}`,
  );
}

function complainOf(schema: JsonObject, input: JsonObject): string | null {
  const checkable = {
    ...checkableOf(schema),
    ...(schema['additionalProperties'] === false && { additionalProperties: false }),
  };
  const { error } = z.fromJSONSchema(checkable).safeParse(input);
  return error ? z.prettifyError(error) : null;
}

/** Keywords that are unambiguous and quick to check. */
function checkableOf(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const choices = schema['anyOf'] ?? schema['oneOf'];
  const { properties, items, allOf } = schema;
  // The library would ignore these beside other keywords.
  if (Array.isArray(choices)) return { anyOf: choices.map(checkableOf) };
  if (Array.isArray(allOf)) return { allOf: allOf.map(checkableOf) };
  if (Array.isArray(schema['enum'])) return { enum: schema['enum'] };
  if (schema['const'] !== undefined) return { const: schema['const'] };
  return {
    ...pick(schema, SCALAR_KEYWORDS),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, checkableOf(one)]),
      ),
    }),
    ...(isObject(items) && { items: checkableOf(items) }),
  };
}

const SCALAR_KEYWORDS = [
  'type',
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;

function pick(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) =>
      schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]],
    ),
  );
}
