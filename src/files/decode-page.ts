import { decodeText } from './decode-text.ts';

/**
 * How far into a page to look for its encoding (HTML Living Standard §4.2.5.4 says 1,024 bytes, but many pages exceed
 * that).
 */
const PRESCAN_BYTES = 4_096;
const MAX_BROKEN_SHARE = 0.1;

/**
 * Decodes an HTML page by its byte order mark, then the `charset` of its content type, then its own `meta`, then
 * detection (https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding). A declaration of
 * UTF-8 counts only when the bytes are valid UTF-8. Null when the bytes are not text.
 */
export function decodePage(bytes: Buffer, contentType: string): string | null {
  const head = bytes.subarray(0, PRESCAN_BYTES).toString('latin1');
  const hasMark = /^(?:\xEF\xBB\xBF|\xFE\xFF|\xFF\xFE)/.test(head);
  if (!hasMark) {
    const labels = [
      /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1],
      asciiLabel(/<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1]),
      asciiLabel(/^<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1]),
    ];
    for (const label of labels) {
      const text = label === undefined ? null : decodeAs(label, bytes);
      if (text !== null) return text;
    }
  }
  return decodeText(bytes);
}

/** A declaration that is readable as ASCII cannot be right about UTF-16; the standard treats it as UTF-8. */
function asciiLabel(label: string | undefined): string | undefined {
  return label !== undefined && /^(?:utf-?16|ucs-?2|unicode)/i.test(label) ? 'utf-8' : label;
}

/** Null for labels unknown to the Encoding Standard, and for UTF-8 and UTF-16 when the bytes are not valid. */
function decodeAs(label: string, bytes: Buffer): string | null {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(label);
  } catch {
    return null;
  }
  const isWide = decoder.encoding.startsWith('utf-16');
  // In UTF-16, each character of a tag has a zero byte.
  if (isWide !== bytes.subarray(0, PRESCAN_BYTES).includes(0)) return null;
  const text = decoder.decode(bytes);
  const isWrong = decoder.encoding.startsWith('utf-') && isMostlyBroken(text);
  return isWrong || text.includes('\0') ? null : text;
}

/** Many pages have a few broken bytes: text cut inside a character, a name in an old encoding. */
function isMostlyBroken(text: string): boolean {
  if (!text.includes('\uFFFD')) return false;
  let broken = 0;
  let whole = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) broken += 1;
    else if (code > 127) whole += 1;
  }
  return broken > whole * MAX_BROKEN_SHARE;
}
