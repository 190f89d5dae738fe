export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether no string in it contains NUL or a lone surrogate, which the database could not return.
 * @param json from `JSON.stringify`, which escapes only these and control characters by number
 */
export function isStorableJson(json: string): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/.test(json);
}

/** Cuts a text to this many characters, ending in a mark if it was longer. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
