import type { OutboundResponse } from '#src/platform/http.ts';

const MAX_WORDS = 300;
/** Only this much of an error response is read. */
const MAX_READ_BYTES = 64_000;

/** The message of an error in any of the common formats: JSON, XML, an HTML title, plain text. */
export function wordsOf(response: OutboundResponse): string | null {
  const text = response.bytes.subarray(0, MAX_READ_BYTES).toString('utf8').trim();
  const words = wordsOfJson(text) ?? wordsOfMarkup(text) ?? (text.startsWith('<') ? null : text);
  return words === null || words === '' ? null : words;
}

/** One line, short, and without the secrets that the request carried. */
export function tidyWords(words: string, secrets: readonly string[]): string {
  let line = words;
  for (const secret of secrets) line = line.replaceAll(secret, '[secret]');
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  line = line.replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  const short = line.length <= MAX_WORDS ? line : `${line.slice(0, MAX_WORDS - 1)}…`;
  return short.toWellFormed();
}

/** Where JSON errors have their message, the most specific first. */
const WORD_KEYS = [
  'error_description',
  'message',
  'errorMessage',
  'detail',
  'description',
  'reason',
  'title',
  'error',
  'errorMessages',
  'errors',
];
const MAX_DEPTH = 4;

function wordsOfJson(text: string): string | null {
  if (!/^[[{"]/.test(text)) return null;
  try {
    return wordsWithin(JSON.parse(text), 0) ?? text;
  } catch {
    return null;
  }
}

function wordsWithin(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const words = value.map((item) => wordsWithin(item, depth + 1)).filter((item) => item !== null);
    return words.length === 0 ? null : words.join('; ');
  }
  const entries: [string, unknown][] = Object.entries(value);
  for (const key of WORD_KEYS) {
    const found = entries.find(([name]) => name === key);
    const words = found ? wordsWithin(found[1], depth + 1) : null;
    if (words !== null) return words;
  }
  // `{"errors": {"jql": "The field is unknown."}}`: below the top level, a key may be any field's name.
  return depth === 0
    ? null
    : wordsWithin(
        entries.map(([, item]) => item),
        depth + 1,
      );
}

function wordsOfMarkup(text: string): string | null {
  const found = /<(message|title|h1)\b[^<>]*>([^<]+)<\/\1>/i.exec(text);
  return found?.[2]?.trim() ?? null;
}
