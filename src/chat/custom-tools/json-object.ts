export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** At most that many characters, with a mark where there would be more. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
