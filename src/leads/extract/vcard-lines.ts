/** One property of a vCard. */
export interface VCardLine {
  /** Upper case, without its group. */
  name: string;
  /** Names in upper case; a value without a name is a `TYPE` (vCard 2.1). */
  parameters: Map<string, string[]>;
  /** As written, with escapes; quoted-printable and base64 are decoded. */
  value: string;
  /** Where it begins in the file. */
  offset: number;
}

const MAX_LINES = 100_000;
const MAX_PARAMETERS = 20;
const MAX_VALUE_LENGTH = 20_000;
/** Pictures, sounds and keys contain no text. */
const BINARY = new Set(['PHOTO', 'LOGO', 'KEY', 'SOUND', 'X-ABCROP-RECTANGLE']);
const ENCODINGS = /^(?:QUOTED-PRINTABLE|BASE64|B|8BIT|7BIT)$/i;

/** The properties of a vCard file (RFC 6350, RFC 2426, vCard 2.1), with folded lines joined. */
export function* readVCardLines(text: string): Generator<VCardLine> {
  let count = 0;
  let isOld = false;
  for (const { line, offset } of logicalLines(text, () => isOld)) {
    count += 1;
    if (count > MAX_LINES) return;
    const parsed = parseLine(line, offset);
    if (!parsed) continue;
    if (parsed.name === 'BEGIN') isOld = false;
    if (parsed.name === 'VERSION') isOld = parsed.value.trim() === '2.1';
    yield parsed;
  }
}

/** Lines with their continuations: after white space, or in quoted-printable after a trailing `=`. */
function* logicalLines(
  text: string,
  isOld: () => boolean,
): Generator<{ line: string; offset: number }> {
  let parts: string[] = [];
  let offset = 0;
  let length = 0;
  let isQuoted = false;
  for (const match of text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)) {
    const [, line = ''] = match;
    const last = parts.at(-1);
    const isSoft = isQuoted && last !== undefined && last.endsWith('=');
    if (last !== undefined && (isSoft || /^[ \t]/.test(line))) {
      if (isSoft) parts[parts.length - 1] = last.slice(0, -1);
      // In version 2.1, unfolding keeps the white space at the fold.
      const part = isSoft || isOld() ? line : line.slice(1);
      length += part.length;
      if (length <= 10 * MAX_VALUE_LENGTH) parts.push(part);
      continue;
    }
    if (parts.length > 0) yield { line: parts.join(''), offset };
    parts = [line];
    offset = match.index;
    length = line.length;
    isQuoted = /^[^:]{0,200}[;=]QUOTED-PRINTABLE/i.test(line);
  }
  if (parts.length > 0) yield { line: parts.join(''), offset };
}

function parseLine(line: string, offset: number): VCardLine | null {
  const colon = endOfName(line);
  if (colon === -1) return null;
  const [head = '', ...rest] = splitOutsideQuotes(line.slice(0, Math.min(colon, 2_000)));
  const name = head
    .slice(head.lastIndexOf('.') + 1)
    .trim()
    .toUpperCase();
  if (name === '' || BINARY.has(name)) return null;
  const parameters = new Map<string, string[]>();
  for (const parameter of rest.slice(0, MAX_PARAMETERS)) {
    const equals = parameter.indexOf('=');
    const bare = parameter.trim();
    const key = equals === -1 ? keyOf(bare) : parameter.slice(0, equals).trim().toUpperCase();
    const values = equals === -1 ? [bare] : valuesOf(parameter.slice(equals + 1));
    parameters.set(key, [...(parameters.get(key) ?? []), ...values]);
  }
  const value = decoded(line.slice(colon + 1, colon + 1 + MAX_VALUE_LENGTH), parameters);
  return { name, parameters, value, offset };
}

function keyOf(bare: string): string {
  return ENCODINGS.test(bare) ? 'ENCODING' : 'TYPE';
}

function valuesOf(written: string): string[] {
  return written.split(',').map((part) => part.replaceAll('"', '').trim());
}

/** The colon before the value; inside quotes a colon is text. */
function endOfName(line: string): number {
  let isQuoted = false;
  for (let at = 0; at < line.length && at < 4_000; at += 1) {
    const character = line.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === ':' && !isQuoted) return at;
  }
  return line.slice(0, 4_000).indexOf(':');
}

function splitOutsideQuotes(head: string): string[] {
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < head.length; at += 1) {
    const character = head.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    if (character !== ';' || isQuoted) continue;
    parts.push(head.slice(start, at));
    start = at + 1;
  }
  return [...parts, head.slice(start)];
}

function decoded(value: string, parameters: ReadonlyMap<string, string[]>): string {
  const encoding = (parameters.get('ENCODING')?.[0] ?? '').toUpperCase();
  const charset = parameters.get('CHARSET')?.[0] ?? 'utf-8';
  if (encoding === 'QUOTED-PRINTABLE') return inCharset(quotedPrintable(value), charset);
  if (encoding === 'B' || encoding === 'BASE64') {
    return inCharset(Buffer.from(value, 'base64'), charset);
  }
  return value;
}

function quotedPrintable(value: string): Buffer {
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of value.matchAll(/(?:=[0-9a-f]{2})+/gi)) {
    parts.push(Buffer.from(value.slice(end, match.index), 'utf-8'));
    parts.push(Buffer.from(match[0].replaceAll('=', ''), 'hex'));
    end = match.index + match[0].length;
  }
  return Buffer.concat([...parts, Buffer.from(value.slice(end), 'utf-8')]);
}

function inCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    // An unknown encoding.
    if (error instanceof RangeError) return new TextDecoder('utf-8').decode(bytes);
    throw error;
  }
}
