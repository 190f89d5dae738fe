import { analyse } from 'chardet';
import iconv from 'iconv-lite';

const SAMPLE_BYTES = 64 * 1024;
/** Byte order marks, longest first: the UTF-32 mark begins with the UTF-16 one. */
const BYTE_ORDER_MARKS: [encoding: string, mark: number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** Random bytes contain about 10 % control characters, written text almost none. */
const MAX_CONTROL_SHARE = 0.01;

/**
 * Decodes text of unknown encoding: byte order mark, then strict UTF-8, then UTF-16 without a mark, then the most
 * likely legacy encoding. Line endings become `\n`.
 * @returns null when the bytes are not text
 */
export function decodeText(bytes: Uint8Array): string | null {
  const text = decode(bytes).replace(/\r\n?/g, '\n');
  return controlShare(text.slice(0, SAMPLE_BYTES)) > MAX_CONTROL_SHARE ? null : text;
}

function decode(bytes: Uint8Array): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) =>
    mark.every((byte, index) => bytes[index] === byte),
  );
  if (marked) return iconv.decode(bytes, marked[0]);
  const utf8 = decodeStrictUtf8(bytes);
  if (utf8 !== null) return utf8;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return iconv.decode(bytes, unmarkedUtf16(sample) ?? likelyEncoding(sample));
}

/** The most likely legacy encoding in which the sample has almost no characters that never occur in text. */
function likelyEncoding(sample: Uint8Array): string {
  const candidates = analyse(sample).map((match) => match.name);
  const fits = (encoding: string): boolean =>
    iconv.encodingExists(encoding) &&
    controlShare(iconv.decode(sample, encoding)) <= MAX_CONTROL_SHARE;
  return candidates.find(fits) ?? 'windows-1252';
}

/** UTF-16 of Western text is also valid UTF-8 (with a NUL at every other byte), which is rejected here. */
function decodeStrictUtf8(bytes: Uint8Array): string | null {
  if (unmarkedUtf16(bytes.subarray(0, SAMPLE_BYTES)) !== null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function unmarkedUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (sample.length < 4) return null;
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const many = sample.length / 2 / 3;
  if (odd > many && even < odd / 10) return 'utf-16le';
  return even > many && odd < even / 10 ? 'utf-16be' : null;
}

/** Share of characters that never occur in text: controls other than white space and escape, and U+FFFD. */
function controlShare(text: string): number {
  if (text.length === 0) return 0;
  let controls = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isSpace = (code >= 9 && code <= 13) || code === 27;
    if ((code < 32 && !isSpace) || code === 127 || code === 0xfffd) controls += 1;
  }
  return controls / text.length;
}
