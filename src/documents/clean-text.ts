const SAMPLE_LENGTH = 16_384;
const BINARY_SHARE = 0.1;
/** A short text with fewer odd characters than this was damaged in transit; it is not a binary file. */
const BINARY_MIN_ODD = 32;

/** Removes U+0000, which Postgres text cannot hold, and replaces lone surrogates, invalid in UTF-8, with U+FFFD. */
export function cleanText(text: string): string {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
}

/** JSON escapes of what `cleanText` removes or replaces: U+0000 and lone surrogates, which pairs never become. */
const UNCLEAN_ESCAPE = /\\u(?:0000|d[89a-f])/;

/** Serializes a value as JSON with its strings cleaned as in `cleanText`. */
export function cleanJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!UNCLEAN_ESCAPE.test(json)) return json;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? cleanText(part) : part,
  );
}

/**
 * Whether `text` is binary data decoded as text: more than a tenth of a sample (start, middle and end), and at least 32
 * characters, are control characters or U+FFFD. Call it before `cleanText`, which removes some of the evidence.
 */
export function looksBinary(text: string): boolean {
  const middle = Math.max(0, (text.length - SAMPLE_LENGTH) >> 1);
  const sample =
    text.length <= 3 * SAMPLE_LENGTH
      ? text
      : text.slice(0, SAMPLE_LENGTH) +
        text.slice(middle, middle + SAMPLE_LENGTH) +
        text.slice(-SAMPLE_LENGTH);
  let odd = 0;
  for (let index = 0; index < sample.length; index += 1) {
    if (isOdd(sample.charCodeAt(index))) odd += 1;
  }
  return odd >= BINARY_MIN_ODD && odd > sample.length * BINARY_SHARE;
}

function isOdd(code: number): boolean {
  const isWhitespace = code >= 0x09 && code <= 0x0d;
  const isControl = (code < 0x20 && !isWhitespace) || (code >= 0x7f && code < 0xa0);
  return isControl || code === 0xfffd;
}
