import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createAuthenticator } from '#src/accounts/authenticate.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { assertMay, createIdentify } from './auth.ts';

/**
 * Access to the metrics, which count over all workspaces: for a scraper with `METRICS_TOKEN`, and for admins of the
 * bootstrap workspace. The embedded size is open while no token is set.
 * @throws Problem UNAUTHENTICATED or UNAUTHORIZED
 */
export async function assertMayReadMetrics(
  services: Services,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const { METRICS_TOKEN: token, size } = services.config;
  if (token === undefined && size === 'embedded') return;
  const header = headers.authorization ?? '';
  if (token !== undefined && isSame(header.replace(/^bearer +/i, ''), token)) return;
  if (header === '' && headers.cookie === undefined) {
    throw new Problem(
      'UNAUTHENTICATED',
      'Metrics need Authorization: Bearer with the METRICS_TOKEN of this service, or with an admin key of its bootstrap workspace.',
    );
  }
  const identify = createIdentify({ ...services, authenticate: createAuthenticator(services) });
  assertMay(await identify(headers), 'bootstrap-admin');
}

/** Compares in constant time, which reveals nothing about the token. */
function isSame(sent: string, token: string): boolean {
  const [left, right] = [sent, token].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
