import { decodeText } from '#src/files/decode-text.ts';

/** Where a page may declare its encoding (HTML Living Standard §4.2.5.4 says 1,024 bytes; pages are careless). */
const PRESCAN_BYTES = 4_096;

/**
 * The text of an HTML page: byte order mark, then the `charset` of its content type, then its own `meta`, then what
 * the bytes look like (https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding). A
 * declaration of UTF-8 counts only when the bytes are UTF-8. Null when the bytes are no text.
 */
export function decodePage(bytes: Buffer, contentType: string): string | null {
  const head = bytes.subarray(0, PRESCAN_BYTES).toString('latin1');
  const hasMark = /^(?:\xEF\xBB\xBF|\xFE\xFF|\xFF\xFE)/.test(head);
  if (!hasMark) {
    const labels = [
      /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1],
      /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1],
      /^<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1],
    ];
    for (const label of labels) {
      const text = label === undefined ? null : decodeAs(label, bytes);
      if (text !== null) return text;
    }
  }
  return decodeText(bytes);
}

/** Null for labels that the Encoding Standard does not know, and for UTF-8 and UTF-16 that are none. */
function decodeAs(label: string, bytes: Buffer): string | null {
  try {
    const decoder = new TextDecoder(label);
    // A `meta` that was read as ASCII cannot tell the truth about UTF-16.
    const isUnicode = decoder.encoding.startsWith('utf-');
    const text = isUnicode
      ? new TextDecoder(label, { fatal: true }).decode(bytes)
      : decoder.decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
