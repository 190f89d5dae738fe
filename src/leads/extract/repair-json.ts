import { decodeEntities } from './decode-entities.ts';

/** Every value counts once; the rest of the text is not read. */
const MAX_VALUES = 300_000;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BARE_KEY = /[A-Za-z_@$][\w@$.:-]{0,100}(?=\s{0,20}:)/y;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const CLOSING_QUOTES: Record<string, string> = { '"': '"', "'": "'", '“': '”', '”': '”' };

type JsonObject = Record<string, unknown>;
type Open =
  | { kind: 'array'; value: unknown[] }
  | { kind: 'object'; value: JsonObject; key: string | null };

/**
 * Reads JSON as found in pages, in linear time. Repairs comments, trailing and missing commas, raw line breaks,
 * quotes inside strings, unquoted keys and values, entities, wrappers, several values in a row, and a missing end.
 * @returns every top-level value; repaired objects have no prototype
 */
export function readBrokenJson(text: string): unknown[] {
  const bare = withoutWrappers(text);
  if (bare === '') return [];
  const whole = parseStrictly(bare);
  if (whole !== undefined) return [whole];
  return repair(unescaped(bare));
}

function parseStrictly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Markers that hide scripts from very old browsers. */
function withoutWrappers(text: string): string {
  return text
    .trim()
    .replace(/^\uFEFF/, '')
    .replace(/^(?:\/\*|\/\/)?\s{0,100}<!(?:\[CDATA\[|--)\s{0,100}(?:\*\/)?/, '')
    .replace(/(?:\/\*|\/\/)?[ \t]{0,100}(?:\]\]>|-->)\s{0,100}(?:\*\/)?$/, '')
    .trim();
}

/** The whole text escaped as HTML, or as a string of a script. */
function unescaped(text: string): string {
  if (/^[[{]\s{0,100}&(?:quot|#34|#x22);/i.test(text)) return decodeEntities(text);
  if (/^[[{]\s{0,100}\\"/.test(text)) return text.replaceAll('\\"', '"');
  return text;
}

/** A reader that never fails: it takes what it understands and skips the rest. */
function repair(text: string): unknown[] {
  const values = openValues();
  let at = 0;
  while (at < text.length && values.left() > 0) {
    const character = text.charAt(at);
    const inner = values.innermost();
    const behindComment = skipComment(text, at);
    if (behindComment !== at) {
      at = behindComment;
    } else if (character === '{' || character === '[') {
      values.begin(character);
      at += 1;
    } else if (character === '}' || character === ']') {
      values.end(character);
      at += 1;
    } else if (!inner || character <= ' ' || /[\s,:;\uFEFF]/.test(character)) {
      // Words at the top level are code around the value.
      if (character === ',' && inner?.kind === 'object') inner.key = null;
      at += 1;
    } else {
      const isKey = inner.kind === 'object' && inner.key === null;
      const token = readToken(text, at, isKey, inner.kind === 'object');
      if (!isKey) values.put(token.value);
      else if (inner.kind === 'object') inner.key = token.isKey ? String(token.value) : null;
      at = token.end;
    }
  }
  return values.complete;
}

/** The values under construction: the open ones, outermost first. */
function openValues(): {
  complete: unknown[];
  left: () => number;
  innermost: () => Open | undefined;
  put: (value: unknown) => void;
  begin: (mark: '{' | '[') => void;
  end: (mark: '}' | ']') => void;
} {
  const complete: unknown[] = [];
  const open: Open[] = [];
  const depths = { array: 0, object: 0 };
  let left = MAX_VALUES;
  const put = (value: unknown): void => {
    left -= 1;
    const inner = open.at(-1);
    if (!inner) complete.push(value);
    else if (inner.kind === 'array') inner.value.push(value);
    else if (inner.key !== null) {
      // A value in place of a key is dropped.
      inner.value[inner.key] = value;
      inner.key = null;
    }
  };
  const begin = (mark: '{' | '['): void => {
    // Without a prototype, `__proto__` is a key like any other.
    const next: Open =
      mark === '['
        ? { kind: 'array', value: [] }
        : { kind: 'object', value: { __proto__: null }, key: null };
    put(next.value);
    open.push(next);
    depths[next.kind] += 1;
  };
  const end = (mark: '}' | ']'): void => {
    const kind = mark === '}' ? 'object' : 'array';
    if (depths[kind] === 0) return;
    for (let last = open.pop(); last; last = open.pop()) {
      depths[last.kind] -= 1;
      if (last.kind === kind) return;
    }
  };
  return { complete, left: () => left, innermost: () => open.at(-1), put, begin, end };
}

function skipComment(text: string, at: number): number {
  const behind = (mark: string, length: number): number => {
    const found = text.indexOf(mark, at + length);
    return found === -1 ? text.length : found + mark.length;
  };
  if (text.startsWith('/*', at)) return behind('*/', 2);
  if (text.startsWith('//', at)) return behind('\n', 2);
  if (text.startsWith('<!--', at)) return behind('-->', 4);
  return at;
}

interface Token {
  value: unknown;
  isKey: boolean;
  end: number;
}

function readToken(text: string, at: number, wantsKey: boolean, isInObject: boolean): Token {
  const quote = CLOSING_QUOTES[text.charAt(at)];
  if (quote !== undefined) return readString(text, at + 1, quote, wantsKey, isInObject);
  if (wantsKey) {
    BARE_KEY.lastIndex = at;
    const [key] = BARE_KEY.exec(text) ?? [];
    if (key !== undefined) return { value: key, isKey: true, end: at + key.length };
    let behind = at + 1;
    while (behind < text.length && /[\w@$.-]/.test(text.charAt(behind))) behind += 1;
    return { value: null, isKey: false, end: behind };
  }
  let end = at;
  while (end < text.length && !/[,}\]\n\r]/.test(text.charAt(end))) end += 1;
  return { value: bareValue(text.slice(at, end).trim()), isKey: false, end };
}

function bareValue(word: string): unknown {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (/^(?:null|undefined|NaN|None)?$/.test(word)) return null;
  return NUMBER.test(word) ? Number(word) : word.replace(/["']$/, '');
}

function readString(
  text: string,
  from: number,
  quote: string,
  isKey: boolean,
  isInObject: boolean,
): Token {
  const parts: string[] = [];
  let start = from;
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      parts.push(text.slice(start, at));
      const escape = readEscape(text, at + 1);
      parts.push(escape.text);
      start = escape.end;
      at = escape.end - 1;
    } else if (character === quote && isEndOfString(text, at + 1, isKey, isInObject)) {
      break;
    }
  }
  parts.push(text.slice(start, Math.max(start, at)));
  return { value: parts.join(''), isKey, end: at + 1 };
}

function readEscape(text: string, at: number): { text: string; end: number } {
  const character = text.charAt(at);
  if (character === 'u') {
    const [code] = /^[0-9a-f]{4}/i.exec(text.slice(at + 1, at + 5)) ?? [];
    if (code !== undefined) {
      return { text: String.fromCharCode(Number.parseInt(code, 16)), end: at + 5 };
    }
  }
  return { text: ESCAPES[character] ?? character, end: at + 1 };
}

/** After a quote inside a string, the string continues. Checks only across white space, once for each quote. */
function isEndOfString(text: string, at: number, isKey: boolean, isInObject: boolean): boolean {
  const next = skipSpace(text, at);
  const character = text.charAt(next);
  if (isKey) return character === ':' || next >= text.length;
  if (next >= text.length || /[}\]/]/.test(character)) return true;
  // The comma is missing: the next entry is on a line of its own.
  if (/["'“]/.test(character)) return text.slice(at, next).includes('\n');
  if (character !== ',') return false;
  const following = skipSpace(text, next + 1);
  const after = text.charAt(following);
  if (after === '' || /["'“}\]/<,]/.test(after)) return true;
  if (!isInObject) return /[-{[\dtfn]/.test(after);
  BARE_KEY.lastIndex = following;
  return BARE_KEY.test(text);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[\s\uFEFF]/.test(text.charAt(at))) at += 1;
  return at;
}
