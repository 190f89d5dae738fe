import { isObject, type JsonObject } from './json-members.ts';

/** The words of a chunk; either may be empty. */
export interface PlainWords {
  reasoning: string;
  text: string;
}

/** The words of a chunk that contains nothing else; null for any other chunk. */
export function plainWords(chunk: unknown): PlainWords | null {
  if (!isObject(chunk) || !isAbsent(chunk['error']) || !isAbsent(chunk['usage'])) return null;
  const choices = chunk['choices'];
  if (!Array.isArray(choices) || choices.length > 1) return null;
  // Azure begins with such a chunk.
  if (choices.length === 0) return { reasoning: '', text: '' };
  const choice: unknown = choices[0];
  if (!isObject(choice) || !isAbsent(choice['finish_reason'])) return null;
  const { delta } = choice;
  return isObject(delta) ? wordsOf(delta) : null;
}

function wordsOf(delta: JsonObject): PlainWords | null {
  const words: PlainWords = { reasoning: '', text: '' };
  for (const [name, value] of Object.entries(delta)) {
    if (isAbsent(value)) continue;
    if (typeof value !== 'string') return null;
    if (name === 'content') words.text = value;
    // Providers use either name; the first one counts, as in the library.
    else if (name === 'reasoning_content') words.reasoning = value;
    else if (name === 'reasoning') words.reasoning = stringOr(delta['reasoning_content'], value);
    else if (name !== 'role') return null;
  }
  return words;
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
