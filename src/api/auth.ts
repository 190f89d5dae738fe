import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate } from '#src/accounts/authenticate.ts';
import { type Principal, type Scope, whyForbidden } from '#src/accounts/principal.ts';
import { readAccount } from '#src/accounts/account.ts';
import { explainPlanLimit } from '#src/billing/plans.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import type { PlanTier } from '#src/tables/accounts.ts';

/**
 * Identifies the caller of a request.
 * @throws Problem UNAUTHENTICATED without a valid key
 */
export async function identify(
  authenticate: Authenticate,
  headers: IncomingHttpHeaders,
): Promise<Principal> {
  const key = presentedKey(headers);
  if (key === null) {
    throw new Problem(
      'UNAUTHENTICATED',
      'The request carries no API key. Send the header Authorization: Bearer <API_KEY>.',
    );
  }
  const principal = await authenticate(key);
  if (principal === null) {
    throw new Problem(
      'UNAUTHENTICATED',
      'The API key is not valid: it is unknown, expired or revoked. Ask an admin of your workspace for another.',
    );
  }
  return principal;
}

/** @throws Problem UNAUTHORIZED when the principal's role or workspace does not allow the scope */
export function assertMay(principal: Principal, scope: Exclude<Scope, 'public'>): void {
  const reason = whyForbidden(principal, scope);
  if (reason !== null) throw new Problem('UNAUTHORIZED', reason);
}

/**
 * Cached data about a key may be seconds old, so the plan is read again before a caller who may just have upgraded is
 * refused.
 * @throws Problem UNAUTHORIZED when the principal's workspace is on a plan below `needed`
 */
export async function assertPlan(
  { db }: Pick<Services, 'db'>,
  principal: Principal,
  needed: PlanTier,
): Promise<void> {
  if (explainPlanLimit(principal.plan, needed) === null) return;
  const { plan } = await readAccount(db, principal);
  const reason = explainPlanLimit(plan, needed);
  if (reason !== null) throw new Problem('UNAUTHORIZED', reason);
}

/**
 * The text of the key, or null. Where a proxy uses `Authorization` itself, existing clients send another header, in
 * which they may omit the word Bearer.
 */
function presentedKey(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-onyx-authorization'];
  if (typeof own !== 'string' || own.trim() === '') return bearerOf(headers.authorization ?? '');
  return /^bearer\b/i.test(own.trim()) ? bearerOf(own) : own.trim();
}

/** RFC 6750 §2.1; scheme names are case-insensitive (RFC 9110 §11.1). */
function bearerOf(header: string): string | null {
  return /^bearer\s+(\S.*)$/i.exec(header.trim())?.[1] ?? null;
}
