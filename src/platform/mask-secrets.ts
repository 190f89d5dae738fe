type JsonObject = Record<string, unknown>;

const LONG_ENOUGH = 14;
const SHOWN_AT_EACH_END = 4;
const HIDDEN_TEXT = '•'.repeat(12);
const HIDDEN_NUMBER = '*****';
const SHORTENED_TEXT = /^.{4}\.\.\..{4}$/su;

/** Keys whose values are not secret. */
const UNMASKED_KEYS = new Set([
  'authentication_method',
  'wiki_base',
  'cloud_name',
  'cloud_id',
  'scopes',
]);

/**
 * A credential as it may be shown: texts of 14 or more characters keep their first and last four, shorter ones and
 * numbers are hidden; applies recursively to lists and objects.
 */
export function maskSecrets(value: JsonObject): JsonObject {
  return mapEntries(value, (one, key) => (UNMASKED_KEYS.has(key) ? one : mask(one)));
}

/**
 * Restores the stored secret wherever `sent` contains the output of `maskSecrets`, so that saving an edited form does
 * not overwrite secrets that it could not show.
 */
export function restoreMasked(sent: JsonObject, stored: JsonObject): JsonObject {
  return mapEntries(sent, (one, key) =>
    UNMASKED_KEYS.has(key) || !Object.hasOwn(stored, key) ? one : restore(one, stored[key]),
  );
}

/** Path where `value` still contains a masked text, such as `oauth.token`; null when there is none. */
export function findMasked(value: JsonObject): string | null {
  for (const [key, one] of Object.entries(value)) {
    if (UNMASKED_KEYS.has(key)) continue;
    const inner = findMaskedIn(one);
    if (inner !== null) return `${key}${inner}`;
  }
  return null;
}

function mask(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'number') return HIDDEN_NUMBER;
  if (Array.isArray(value)) return value.map(mask);
  return isObject(value) ? maskSecrets(value) : value;
}

function maskText(text: string): string {
  // By code points, because half of a surrogate pair could not be sent.
  const characters = Array.from(text);
  if (characters.length < LONG_ENOUGH) return HIDDEN_TEXT;
  const first = characters.slice(0, SHOWN_AT_EACH_END).join('');
  return `${first}...${characters.slice(-SHOWN_AT_EACH_END).join('')}`;
}

function restore(sent: unknown, stored: unknown): unknown {
  if (Array.isArray(sent) && Array.isArray(stored)) {
    const known: readonly unknown[] = stored;
    return sent.map((one: unknown, index) =>
      index < known.length ? restore(one, known[index]) : one,
    );
  }
  if (isObject(sent) && isObject(stored)) return restoreMasked(sent, stored);
  const isLeaf = typeof stored === 'string' || typeof stored === 'number';
  return isLeaf && sent === mask(stored) ? stored : sent;
}

/** The rest of the path, starting with its separator; '' for the value itself. */
function findMaskedIn(value: unknown): string | null {
  if (typeof value === 'string') {
    const looksMasked = [HIDDEN_TEXT, HIDDEN_NUMBER].includes(value) || SHORTENED_TEXT.test(value);
    return looksMasked ? '' : null;
  }
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      const inner = findMaskedIn(one);
      if (inner !== null) return `[${index}]${inner}`;
    }
    return null;
  }
  const inner = isObject(value) ? findMasked(value) : null;
  return inner === null ? null : `.${inner}`;
}

function mapEntries(value: JsonObject, change: (one: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one, key)]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
