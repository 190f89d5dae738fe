/** JSON of a provider's, before anything is known of it. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in a list; none when it is no list. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** What the first choice of a chunk adds to the answer; null when it adds nothing. */
export function deltaOf(chunk: unknown): JsonObject | null {
  const [choice] = isObject(chunk) ? objectsIn(chunk['choices']) : [];
  const delta = choice?.['delta'];
  return isObject(delta) ? delta : null;
}
