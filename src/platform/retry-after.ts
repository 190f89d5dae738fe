/**
 * Delay in milliseconds requested by a `Retry-After` header (RFC 9110 §10.2.3: seconds or an HTTP date); null when the
 * header is missing or unreadable. Never negative.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Number(value) * 1000;
  const dateMs = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
