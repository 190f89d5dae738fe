import type { Field, Values } from './form-field.ts';

/** What is read of a JSON Schema (draft 2020-12) with one object of plain values. */
type Schema = Readonly<Record<string, unknown>>;

const ACRONYMS = new Set(['url', 'id', 'api', 'arn', 'aws', 'r2', 'jql', 'cql', 'tls', 'pdf']);

/**
 * The fields of a form for an object of this schema, in its order. Keys that are deprecated or filled by an upload are
 * left out, and so is what a form cannot hold. `place` is where the API's errors say that the object is: the names of
 * the fields begin with it. `now` holds the present values; without it, the defaults.
 */
export function fieldsOf(schema: Schema, place: string, now: Schema | null = null): Field[] {
  const required = listOf(schema['required']);
  return Object.entries(objectOf(schema['properties'])).flatMap(([key, property]) => {
    const facts = plainSchema(objectOf(property));
    const field = fieldOf(facts);
    if (field === null || facts['deprecated'] === true) return [];
    return {
      ...field,
      name: `${place}.${key}`,
      label: textOf(facts['title']) ?? labelOf(key),
      isRequired: required.includes(key) && field.kind !== 'check',
      ...helpOf(facts),
      ...startOf(field, facts, now?.[key] ?? facts['default']),
    };
  });
}

/** The object that a filled form stands for. What was left empty is left out, so that its default applies. */
export function objectFrom(schema: Schema, place: string, values: Values): Record<string, unknown> {
  const entries = fieldsOf(schema, place).flatMap((field): [string, unknown][] => {
    const key = field.name.slice(place.length + 1);
    const value = values[field.name];
    const isEmpty = value === null || value === undefined || value === '';
    if (isEmpty || field.kind === 'files' || (Array.isArray(value) && value.length === 0))
      return [];
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** Keys that an upload of files fills, by the name of the part of its answer that belongs there. */
export function uploadKeys(schema: Schema): ReadonlyMap<string, string> {
  const entries = Object.entries(objectOf(schema['properties'])).flatMap(
    ([key, property]): [string, string][] => {
      const part = textOf(objectOf(property)['x-upload']);
      return part === null ? [] : [[part, key]];
    },
  );
  return new Map(entries);
}

/** `base_url` → `Base URL` */
export function labelOf(key: string): string {
  const words = key.split('_').map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Without null, which a form says by an empty field. */
function plainSchema(schema: Schema): Schema {
  const { anyOf, type, ...rest } = schema;
  const choices = listOf(anyOf)
    .map(objectOf)
    .filter((one) => one['type'] !== 'null');
  const [only] = choices;
  if (only !== undefined && choices.length === 1) return { ...plainSchema(only), ...rest };
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  return { ...rest, ...(types.length === 1 ? { type: types[0] } : {}) };
}

type Kind = Pick<Field, 'kind' | 'options' | 'min' | 'max' | 'minLength' | 'maxLength'>;

function fieldOf(schema: Schema): Kind | null {
  const upload = schema['x-upload'];
  if (upload !== undefined) return upload === 'file_paths' ? { kind: 'files' } : null;
  const values = listOf(schema['enum']).filter((one) => typeof one === 'string');
  if (values.length > 0) return { kind: 'choice', options: optionsOf(values) };
  switch (schema['type']) {
    case 'string':
      return { kind: textKind(schema), ...lengthsOf(schema) };
    case 'integer':
    case 'number':
      return { kind: 'number', ...boundsOf(schema) };
    case 'boolean':
      return { kind: 'check' };
    case 'array':
      return arrayOf(plainSchema(objectOf(schema['items'])));
    default:
      return null;
  }
}

function arrayOf(items: Schema): Kind | null {
  const values = listOf(items['enum']).filter((one) => typeof one === 'string');
  if (values.length > 0) return { kind: 'many', options: optionsOf(values) };
  return items['type'] === 'string' ? { kind: 'lines' } : null;
}

function textKind(schema: Schema): Field['kind'] {
  if (schema['writeOnly'] === true) return 'password';
  if (schema['format'] === 'email') return 'email';
  return schema['format'] === 'uri' ? 'url' : 'text';
}

function optionsOf(values: readonly string[]): { value: string; text: string }[] {
  return values.map((value) => ({ value, text: value.replaceAll('_', ' ') }));
}

/** A whole number without bounds of its own has those of JavaScript, which nobody needs to read. */
function boundsOf({ minimum, maximum }: Schema): Pick<Field, 'min' | 'max'> {
  return {
    ...(isBound(minimum) && { min: minimum }),
    ...(isBound(maximum) && { max: maximum }),
  };
}

function isBound(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function lengthsOf({ minLength, maxLength }: Schema): Pick<Field, 'minLength' | 'maxLength'> {
  return {
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
  };
}

function helpOf(schema: Schema): Pick<Field, 'help'> {
  const help = textOf(schema['description'])?.replaceAll('`', '') ?? null;
  const isLines = schema['type'] === 'array' && fieldOf(schema)?.kind === 'lines';
  if (fieldOf(schema)?.kind === 'files') return { help: 'One or more files, or one zip of them.' };
  if (help === null) return isLines ? { help: 'One per line.' } : {};
  return { help: isLines ? `${help} One per line.` : help };
}

/** The value to begin with. A secret never stands in a page. */
function startOf(
  { kind }: Kind,
  schema: Schema,
  value: unknown,
): Pick<Field, 'value' | 'isRequired'> {
  if (kind === 'password' || value === null || value === undefined) return {};
  // A choice that has a default is never empty.
  const isChosen = kind === 'choice' && schema['default'] !== undefined;
  return { value, ...(isChosen && { isRequired: true }) };
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
