import type { IncomingHttpHeaders } from 'node:http';

/**
 * The text of the key, or null. Where a proxy uses `Authorization` itself, existing clients send another header, in
 * which they may omit the word Bearer.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-onyx-authorization'];
  if (typeof own !== 'string' || own.trim() === '') return bearerOf(headers.authorization ?? '');
  return /^bearer\b/i.test(own.trim()) ? bearerOf(own) : own.trim();
}

/** RFC 6750 §2.1; scheme names are case-insensitive (RFC 9110 §11.1). */
function bearerOf(header: string): string | null {
  return /^bearer\s+(\S.*)$/i.exec(header.trim())?.[1] ?? null;
}
