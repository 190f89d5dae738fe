import { domainToASCII, domainToUnicode } from 'node:url';

const MAX_ADDRESS_LENGTH = 400;

/**
 * The address in a recipient field such as `rfc822; <bob@example.com>`, in the form that messages store: lower case,
 * the domain in Unicode. Null when there is none.
 * @param value with or without an address type (RFC 3464 section 2.3.1; `utf-8` by RFC 6533)
 */
export function readReportAddress(value: string | undefined): string | null {
  const text = value?.slice(0, MAX_ADDRESS_LENGTH).replace(/^[^;@]{0,40};/, '') ?? '';
  const plain = decodeUnicode(text)
    .replaceAll(/[\s<>]/g, '')
    .toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at <= 0 || at === plain.length - 1) return null;
  const host = plain.slice(at + 1).replace(/\.$/, '');
  const domain = domainToUnicode(domainToASCII(host)) || host;
  return `${plain.slice(0, at)}@${domain}`.normalize('NFC');
}

/** Decodes `+40` and the like, the escapes of RFC 3461 section 4. */
export function decodeXtext(text: string): string {
  return text.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Decodes `\x{E9}` and the like (RFC 6533 section 3). */
function decodeUnicode(text: string): string {
  return text.replaceAll(/\\x\{([0-9A-Fa-f]{1,6})\}/g, (whole, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point > 0x10_ff_ff ? whole : String.fromCodePoint(point);
  });
}
