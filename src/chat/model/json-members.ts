/** JSON from a provider, not validated. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in an array; empty if it is not an array. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The delta of the first choice of a chunk; null when there is none. */
export function deltaOf(chunk: unknown): JsonObject | null {
  const [choice] = isObject(chunk) ? objectsIn(chunk['choices']) : [];
  const delta = choice?.['delta'];
  return isObject(delta) ? delta : null;
}
