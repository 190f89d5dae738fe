const SAMPLE_LENGTH = 16_384;
const BINARY_SHARE = 0.1;
/** Control characters that are no white space, and U+FFFD. */
// oxlint-disable-next-line no-control-regex
const ODD = /[\0-\x08\x0e-\x1f\x7f-\x9f\ufffd]/;
const ALL_ODD = new RegExp(ODD, 'g');
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
  // Most texts have none, and nothing tells so sooner.
  if (!ODD.test(sample)) return false;
  const odd = sample.match(ALL_ODD)?.length ?? 0;
  return odd >= BINARY_MIN_ODD && odd > sample.length * BINARY_SHARE;
}
