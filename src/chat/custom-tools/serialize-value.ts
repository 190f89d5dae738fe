import { isObject } from './json-object.ts';
import type { OperationParameter } from './operation.ts';

type Encode = (text: string) => string;

/** A value as text: arrays and objects as JSON. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** Style `simple` (OpenAPI 3.1 §4.8.12.4): values separated by commas. */
export function joinValues(
  value: unknown,
  { explode }: Pick<OperationParameter, 'explode'>,
  encode: Encode,
): string {
  if (Array.isArray(value)) return value.map((one) => encode(textOfValue(one))).join(',');
  if (!isObject(value)) return encode(textOfValue(value));
  return Object.entries(value)
    .map(([name, one]) => `${encode(name)}${explode ? '=' : ','}${encode(textOfValue(one))}`)
    .join(',');
}

const DELIMITERS: Readonly<Record<string, string>> = {
  form: ',',
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
};

/** Names unchanged, values encoded, in the style of the parameter. */
export function queryPairs(
  { name, style, explode }: OperationParameter,
  value: unknown,
  encode: Encode,
): (readonly [name: string, value: string])[] {
  const delimiter = DELIMITERS[style] ?? ',';
  if (Array.isArray(value)) {
    const items = value.map((one) => encode(textOfValue(one)));
    return explode ? items.map((item) => [name, item]) : [[name, items.join(delimiter)]];
  }
  if (!isObject(value)) return [[name, encode(textOfValue(value))]];
  const entries = Object.entries(value).map(([key, one]) => [key, textOfValue(one)] as const);
  if (style === 'deepObject') return entries.map(([key, one]) => [`${name}[${key}]`, encode(one)]);
  if (explode) return entries.map(([key, one]) => [key, encode(one)]);
  return [[name, entries.flatMap((entry) => entry.map(encode)).join(delimiter)]];
}
