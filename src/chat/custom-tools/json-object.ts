export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether no text in it holds NUL or half of a surrogate pair, which the database could not give back.
 * @param json as `JSON.stringify` writes it: these alone, and control characters, are escaped by number
 */
export function isStorableJson(json: string): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/.test(json);
}

/** At most that many characters, with a mark where there would be more. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
