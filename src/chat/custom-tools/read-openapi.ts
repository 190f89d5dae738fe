import { normalize, upgrade } from '@scalar/openapi-parser';
import { Problem } from '#src/platform/errors.ts';
import { isObject, isStorableJson, type JsonObject } from './json-object.ts';

/** Of one document, as JSON. */
export const MAX_DEFINITION_BYTES = 500_000;
/** Values in a document, counting YAML aliases each time they are used. */
const MAX_VALUES = 100_000;
const MAX_LEVELS = 64;

export interface OpenApiDocument {
  /** As sent, in JSON. */
  sent: JsonObject;
  /** Converted to OpenAPI 3.1. */
  upgraded: JsonObject;
}

/**
 * Reads an OpenAPI document: an object, or its JSON or YAML. References are never fetched.
 * @throws Problem BAD_REQUEST that says where it is wrong and what to do
 */
export function readOpenApi(definition: unknown): OpenApiDocument {
  const parsed = typeof definition === 'string' ? parseText(definition) : definition;
  if (!isObject(parsed)) {
    throw wrongDefinition('', 'must be an OpenAPI document: a JSON object, or JSON or YAML text');
  }
  refuseExcess(parsed);
  const text = JSON.stringify(parsed);
  refuseSize(Buffer.byteLength(text));
  if (!isStorableJson(text)) {
    throw wrongDefinition('', 'holds NUL or half of a surrogate pair, which cannot be stored');
  }
  // A copy: separates YAML aliases and drops values that JSON cannot represent.
  const sent = parseObject(text);
  refuseVersion(sent);
  refuseOuterReferences(sent);
  return { sent, upgraded: upgradeDocument(parseObject(text)) };
}

/** Text that contains an object. */
function parseObject(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** @param place a path in the document such as `paths./orders.get`; '' for the document itself */
export function wrongDefinition(place: string, sentence: string): Problem {
  const where = place === '' ? 'body.definition' : `body.definition.${place.slice(0, 300)}`;
  return new Problem('BAD_REQUEST', `${where}: ${sentence}.`);
}

function parseText(text: string): unknown {
  refuseSize(Buffer.byteLength(text));
  try {
    return normalize(text);
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw wrongDefinition('', `is neither JSON nor YAML. ${reason}`.trim().replace(/[.:]$/, ''));
  }
}

function refuseSize(bytes: number): void {
  if (bytes <= MAX_DEFINITION_BYTES) return;
  throw wrongDefinition(
    '',
    `is larger than ${MAX_DEFINITION_BYTES} bytes. Leave out the operations that are not needed, and examples`,
  );
}

/** Checked first, because short YAML may expand to a lot, and later steps recurse. */
function refuseExcess(document: JsonObject): void {
  let values = 0;
  const count = (value: unknown, levels: number): void => {
    values += 1;
    if (values > MAX_VALUES) {
      throw wrongDefinition(
        '',
        `holds more than ${MAX_VALUES} values. Leave out what is not needed`,
      );
    }
    if (typeof value !== 'object' || value === null) return;
    if (levels === 0) throw wrongDefinition('', `is nested more than ${MAX_LEVELS} levels deep`);
    for (const inner of Object.values(value)) count(inner, levels - 1);
  };
  count(document, MAX_LEVELS);
}

function refuseVersion({ openapi, swagger }: JsonObject): void {
  if (typeof openapi === 'string' && /^3\.[012](?:\.|$)/.test(openapi)) return;
  if (openapi === undefined && swagger === '2.0') return;
  throw wrongDefinition(
    'openapi',
    'must be "3.0.x" or "3.1.x" (or swagger: "2.0"), so that the document can be understood',
  );
}

/** References to other files or servers would have to be fetched. */
function refuseOuterReferences(document: JsonObject): void {
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const innerPlace = place === '' ? key : `${place}.${key}`;
      if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
        throw wrongDefinition(
          innerPlace,
          'refers to another file or server, and nothing else is ever fetched. Copy what it refers to into components and refer to it with #/components/…',
        );
      }
      visit(inner, innerPlace);
    }
  };
  visit(document, '');
}

function upgradeDocument(copy: JsonObject): JsonObject {
  let upgraded: unknown;
  try {
    upgraded = upgrade({ ...copy }).specification;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem(
      'BAD_REQUEST',
      `body.definition: could not be read as OpenAPI (${reason.slice(0, 200)}). Check it with a validator of OpenAPI documents.`,
      { cause: error },
    );
  }
  if (!isObject(upgraded)) throw wrongDefinition('', 'could not be read as OpenAPI');
  return upgraded;
}
