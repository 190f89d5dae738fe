import type { Field } from './form.ts';

/** As much of JSON Schema as the API describes settings with. */
interface Schema {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly format?: unknown;
  readonly items?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly maxLength?: unknown;
  readonly writeOnly?: unknown;
}

const SECRET = /(?:password|secret|token|api_key|private_key)$/i;

/** The fields of a form for an object that a JSON Schema describes. Nested objects are written as JSON. */
export function fieldsOf(schema: unknown, values: Readonly<Record<string, unknown>> = {}): Field[] {
  const { properties, required } = asSchema(schema);
  if (typeof properties !== 'object' || properties === null) return [];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties as Record<string, unknown>).map(([name, inner]) =>
    fieldOf(name, asSchema(inner), needed.includes(name), values[name]),
  );
}

function fieldOf(name: string, outer: Schema, isRequired: boolean, value: unknown): Field {
  const schema = withoutNull(outer);
  const start = value ?? schema.default ?? outer.default;
  const { minimum, maximum, maxLength } = schema;
  return {
    name,
    label: textOf(outer.title) ?? textOf(schema.title) ?? labelOf(name),
    ...kindOf(name, schema),
    isRequired: isRequired && schema.default === undefined && schema.type !== 'boolean',
    ...definedOnly({
      help: textOf(outer.description) ?? textOf(schema.description),
      value: start === null ? undefined : start,
      min: typeof minimum === 'number' ? minimum : undefined,
      max: typeof maximum === 'number' && maximum < 1e9 ? maximum : undefined,
      maxLength: typeof maxLength === 'number' ? maxLength : undefined,
    }),
  };
}

function kindOf(name: string, schema: Schema): Pick<Field, 'kind' | 'options'> {
  const choices = choicesOf(schema);
  if (choices !== null) return { kind: 'choice', options: choices };
  if (schema.type === 'boolean') return { kind: 'check' };
  if (schema.type === 'integer' || schema.type === 'number') return { kind: 'number' };
  if (schema.type === 'array') {
    const options = choicesOf(withoutNull(asSchema(schema.items)));
    return options === null ? { kind: 'lines' } : { kind: 'many', options };
  }
  if (SECRET.test(name) || schema.format === 'password' || schema.writeOnly === true)
    return { kind: 'password' };
  if (schema.format === 'date-time') return { kind: 'datetime' };
  if (schema.format === 'email') return { kind: 'email' };
  if (schema.format === 'uri') return { kind: 'url' };
  return { kind: 'text' };
}

function choicesOf(schema: Schema): { value: string; text: string }[] | null {
  const all = Array.isArray(schema.enum)
    ? (schema.enum as unknown[])
    : alternativesOf(schema).map((inner) => inner.const);
  const texts = all.filter((value): value is string => typeof value === 'string');
  if (texts.length === 0 || texts.length !== all.length) return null;
  return texts.map((value) => ({ value, text: value.replaceAll('_', ' ') }));
}

/** `anyOf: [string, null]` is an optional string. */
function withoutNull(schema: Schema): Schema {
  const others = alternativesOf(schema).filter((inner) => inner.type !== 'null');
  const [only] = others;
  return others.length === 1 && only !== undefined ? { ...schema, ...only } : schema;
}

function alternativesOf({ anyOf, oneOf }: Schema): Schema[] {
  const all: unknown = anyOf ?? oneOf;
  return Array.isArray(all) ? all.map(asSchema) : [];
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `base_url` becomes `Base URL`. */
function labelOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/\b(?:url|id|api|smtp|imap)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function definedOnly<T extends object>(facts: T): { [K in keyof T]?: NonNullable<T[K]> } {
  // Only the undefined ones are left out.
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
