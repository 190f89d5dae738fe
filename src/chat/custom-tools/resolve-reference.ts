import { isObject, type JsonObject } from './json-object.ts';

/** References that lead to references. */
const MAX_HOPS = 20;

/**
 * What stands at the end of a chain of local `$ref`s; any other value is returned as it is. `undefined` when a
 * reference leads nowhere, in circles or out of the document.
 */
export function resolveReference(document: JsonObject, value: unknown): unknown {
  let current = value;
  for (let hops = 0; hops <= MAX_HOPS; hops += 1) {
    if (!isObject(current) || typeof current['$ref'] !== 'string') return current;
    current = valueAt(document, current['$ref']);
  }
  return undefined;
}

/** By a JSON pointer in a URI fragment (RFC 6901 §6). */
function valueAt(document: JsonObject, reference: string): unknown {
  if (reference === '#') return document;
  if (!reference.startsWith('#/')) return undefined;
  let current: unknown = document;
  for (const token of reference.slice(2).split('/')) {
    const key = unescapeToken(token);
    if (key === null || typeof current !== 'object' || current === null) return undefined;
    if (!Object.hasOwn(current, key)) return undefined;
    // Own properties only: a list's index is one, too.
    current = (current as JsonObject)[key];
  }
  return current;
}

function unescapeToken(token: string): string | null {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}
