const BASE64 = /^[A-Za-z0-9+/_-]{8,2000}={0,2}$/;
/** Not readable text: control characters, or bytes that are not UTF-8. */
const UNREADABLE = /(?![\n\t])\p{Cc}|\uFFFD/u;

/** The text encoded as base64 or base64url; null when it is not readable text. */
export function decodeBase64(text: string): string | null {
  const encoded = text.trim();
  if (!BASE64.test(encoded)) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  return UNREADABLE.test(decoded) ? null : decoded;
}

/** Like `unescape`: decodes `%41` and `%u0041`. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  return text.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, unicode?: string, byte?: string) =>
    String.fromCharCode(Number.parseInt(unicode ?? byte ?? '', 16)),
  );
}

export function decodeRot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    const base = code >= 97 ? 97 : 65;
    return String.fromCharCode(((code - base + 13) % 26) + base);
  });
}

/** TYPO3's mail links rotate each of these three alphabets separately. */
const TYPO3_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x2b, 0x3a],
  [0x40, 0x5a],
  [0x61, 0x7a],
];

/** Decodes a TYPO3 mail link; null when no rotation of the alphabets yields one. */
export function decodeTypo3Mail(token: string): string | null {
  const shift = token.charCodeAt(0) - 'm'.charCodeAt(0);
  for (const turn of [shift, shift + 26, shift - 26]) {
    const text = Array.from(token, (character) => turned(character, -turn)).join('');
    if (text.startsWith('mailto:')) return text;
  }
  return null;
}

function turned(character: string, by: number): string {
  const code = character.charCodeAt(0);
  const range = TYPO3_RANGES.find(([from, to]) => code >= from && code <= to);
  if (!range) return character;
  const [from, to] = range;
  const size = to - from + 1;
  return String.fromCharCode(from + ((((code - from + by) % size) + size) % size));
}

export function reversedText(text: string): string {
  return Array.from(text).toReversed().join('');
}
