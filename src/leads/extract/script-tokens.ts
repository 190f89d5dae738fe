/** A JavaScript token, as far as needed to read constants. */
export type ScriptToken =
  | { type: 'string'; value: string }
  | { type: 'number'; value: number }
  | { type: 'name'; value: string }
  | { type: 'sign'; value: string };

/** Limit for unclosed quotes: beyond it, the text is not a script. */
const MAX_WASTED_LENGTH = 2_000_000;
const NAME_START = /[\p{L}_$]/u;
const NAME = /[\p{L}\p{N}_$]/u;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
};

/**
 * The tokens of a script without comments; anything but strings, numbers and names becomes single signs. Never fails.
 */
export function* scriptTokens(script: string): Generator<ScriptToken> {
  let at = 0;
  let wasted = 0;
  while (at < script.length && wasted < MAX_WASTED_LENGTH) {
    const character = script[at] ?? '';
    if (character <= ' ') {
      at += 1;
    } else if (script.startsWith('//', at)) {
      at = endOr(script.indexOf('\n', at), script.length);
    } else if (script.startsWith('/*', at)) {
      at = endOr(script.indexOf('*/', at + 2), script.length - 2) + 2;
    } else if (character === '"' || character === "'" || character === '`') {
      const { end, isClosed } = stringEnd(script, at);
      if (isClosed) yield { type: 'string', value: unescaped(script.slice(at + 1, end)) };
      // For example the quote of a regular expression: code follows.
      else wasted += end - at;
      at = isClosed ? end + 1 : at + 1;
    } else if (character >= '0' && character <= '9') {
      const end = wordEnd(script, at, /[0-9a-fx.]/i);
      yield { type: 'number', value: Number(script.slice(at, end)) };
      at = end;
    } else if (NAME_START.test(character)) {
      const end = wordEnd(script, at, NAME);
      yield { type: 'name', value: script.slice(at, end) };
      at = end;
    } else {
      yield { type: 'sign', value: character };
      at += 1;
    }
  }
}

function endOr(index: number, otherwise: number): number {
  return index === -1 ? otherwise : index;
}

function wordEnd(script: string, start: number, character: RegExp): number {
  let end = start + 1;
  while (end < script.length && character.test(script[end] ?? '')) end += 1;
  return end;
}

/** Where the string that starts at `start` ends, and whether by its quote or only by the end of the line. */
function stringEnd(script: string, start: number): { end: number; isClosed: boolean } {
  const quote = script[start];
  for (let at = start + 1; at < script.length; at += 1) {
    const character = script[at];
    if (character === quote) return { end: at, isClosed: true };
    if (character === '\\') at += 1;
    else if (character === '\n' && quote !== '`') return { end: at, isClosed: false };
  }
  return { end: script.length, isClosed: false };
}

function unescaped(written: string): string {
  if (!written.includes('\\')) return written;
  return written.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,5})\}|([0-7]{2,3})|([\s\S]))/gi,
    (_, hex?: string, unicode?: string, point?: string, octal?: string, other?: string) => {
      const code = hex ?? unicode ?? point;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ESCAPES[other ?? ''] ?? (other === '\n' ? '' : (other ?? ''));
    },
  );
}
