import { domainToASCII, domainToUnicode } from 'node:url';

/** RFC 5321 §4.5.3.1, in octets. */
const MAX_EMAIL_BYTES = 254;
const MAX_LOCAL_BYTES = 64;
const MAX_DOMAIN_LENGTH = 253;
/** A dot-atom of RFC 5322, with the characters of RFC 6531. */
const LOCAL_PART =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_TEXT = /^[\p{L}\p{M}\p{N}.-]+$/u;
const ASCII_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Parses one plain address from a request, without display name, comment or quotes: the domain in lower case and
 * decoded to Unicode, the local part unchanged. Null for everything else.
 */
export function parseEmailAddress(text: string): string | null {
  if (text.length > MAX_EMAIL_BYTES) return null;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at)).normalize('NFC');
  const domain = parseDomain(text.slice(at + 1));
  if (domain === null || !LOCAL_PART.test(local) || byteLength(local) > MAX_LOCAL_BYTES)
    return null;
  const email = `${local}@${domain}`;
  return byteLength(email) > MAX_EMAIL_BYTES ? null : email;
}

/** Parses a domain of at least two labels to lower case and Unicode (`xn--` decoded); null for everything else. */
export function parseDomain(text: string): string | null {
  if (text.length > MAX_DOMAIN_LENGTH + 1 || !DOMAIN_TEXT.test(text)) return null;
  const ascii = domainToASCII(text.replace(/\.$/, ''));
  const labels = ascii.split('.');
  if (ascii.length > MAX_DOMAIN_LENGTH || labels.length < 2) return null;
  if (!labels.every((label) => ASCII_LABEL.test(label))) return null;
  // No top-level domain ends in a digit; IP addresses do.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return null;
  return domainToUnicode(ascii) || null;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
