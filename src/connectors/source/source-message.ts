import type { OutboundResponse } from '#src/platform/http.ts';

const MAX_LENGTH = 300;
/** Only this much of an error response is read. */
const MAX_READ_BYTES = 64_000;

/** The message of an error in any of the common formats: JSON, XML, an HTML title, plain text. */
export function findMessage(response: OutboundResponse): string | null {
  const text = response.bytes.subarray(0, MAX_READ_BYTES).toString('utf8').trim();
  const words =
    messageInJson(text) ?? messageInMarkup(text) ?? (text.startsWith('<') ? null : text);
  return words === null || words === '' ? null : words;
}

/** One line, short, and without the secrets that the request carried. */
export function cleanMessage(words: string, secrets: readonly string[]): string {
  let line = words;
  for (const secret of secrets) line = line.replaceAll(secret, '[secret]');
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  line = line.replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  const short = line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
  return short.toWellFormed();
}

/** Where JSON errors have their message, the most specific first. */
const MESSAGE_KEYS = [
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

function messageInJson(text: string): string | null {
  if (!/^[[{"]/.test(text)) return null;
  try {
    return messageWithin(JSON.parse(text), 0) ?? text;
  } catch {
    return null;
  }
}

function messageWithin(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const words = value
      .map((item) => messageWithin(item, depth + 1))
      .filter((item) => item !== null);
    return words.length === 0 ? null : words.join('; ');
  }
  const entries: [string, unknown][] = Object.entries(value);
  for (const key of MESSAGE_KEYS) {
    const found = entries.find(([name]) => name === key);
    const words = found ? messageWithin(found[1], depth + 1) : null;
    if (words !== null) return words;
  }
  // `{"errors": {"jql": "The field is unknown."}}`: below the top level, a key may be any field's name.
  return depth === 0
    ? null
    : messageWithin(
        entries.map(([, item]) => item),
        depth + 1,
      );
}

function messageInMarkup(text: string): string | null {
  const found = /<(message|title|h1)\b[^<>]*>([^<]+)<\/\1>/i.exec(text);
  return found?.[2]?.trim() ?? null;
}
