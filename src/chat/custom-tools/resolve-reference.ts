import { isObject, type JsonObject } from './json-object.ts';

/** Maximum length of a chain of references. */
const MAX_HOPS = 20;

/**
 * The value at the end of a chain of local `$ref`s; any other value is returned unchanged. `undefined` for a reference
 * that is broken, circular or leads out of the document.
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
    // Own properties only; the index of an array is one as well.
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
