import { isUtf8 } from 'node:buffer';
import { Problem } from './errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENS = [0x5b, 0x7b];
const CLOSES = [0x5d, 0x7d];
/** Deeper than any legitimate input; a recursive parser needs one call per level. */
const MAX_LEVELS = 200;

/**
 * Parses UTF-8 JSON; undefined for an empty body.
 * @throws Problem BAD_REQUEST with the position where the JSON is invalid
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes))
    throw new Problem('BAD_REQUEST', 'The body is not valid UTF-8. Encode it as UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const where = reason.startsWith('Unexpected end') ? ` (at position ${text.length})` : '';
    throw new Problem('BAD_REQUEST', `The body is not valid JSON: ${reason}${where}.`, {
      cause: error,
    });
  }
}

/**
 * Inspects JSON before it is parsed: the cost of parsing and validation depends more on the number of values than on
 * bytes, and a megabyte can contain half a million values. Text that is not JSON passes.
 * @throws Problem PAYLOAD_TOO_LARGE above `maxValues` values, BAD_REQUEST for lists and objects nested more than 200
 * deep
 */
export function weighJson(bytes: Uint8Array, maxValues: number): void {
  let values = 1;
  let level = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA) {
      values += 1;
    } else if (OPENS.includes(byte)) {
      values += 1;
      level += 1;
      if (level > MAX_LEVELS) throw tooDeep();
    } else if (CLOSES.includes(byte)) {
      level -= 1;
    }
    if (values > maxValues) throw tooManyValues(maxValues);
  }
}

/** Where the string that starts at `start` is closed; the end of the text if it is not. */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = bytes.indexOf(QUOTE, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end === -1 ? bytes.length : end;
}

/** True after an odd number of backslashes. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

function tooManyValues(maxValues: number): Problem {
  return new Problem(
    'PAYLOAD_TOO_LARGE',
    `The body contains more than ${maxValues} values (fields and list items, at all levels), the most that this endpoint takes. Send less in one request.`,
  );
}

function tooDeep(): Problem {
  return new Problem(
    'BAD_REQUEST',
    `The body nests lists and objects more than ${MAX_LEVELS} deep. Flatten it.`,
  );
}
