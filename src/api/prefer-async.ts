import type { IncomingHttpHeaders } from 'node:http';

/** For `requestHeaders` of a route that waits for a worker. */
export const PREFER_HEADER = {
  name: 'Prefer',
  description: 'respond-async: answer 202 at once instead of waiting (RFC 7240).',
  required: false,
};

/** For an answer that did not wait because of the request's preference. */
export const PREFERENCE_APPLIED = { 'Preference-Applied': 'respond-async' };

/** Whether the client prefers an immediate 202 over waiting (RFC 7240 §4.1). */
export function prefersAsync({ prefer }: IncomingHttpHeaders): boolean {
  const preferences = [prefer ?? []].flat().join(',').split(',');
  return preferences.some((text) => /^\s*respond-async\s*(?:;|$)/i.test(text));
}
