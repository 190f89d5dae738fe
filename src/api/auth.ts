import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate } from '#src/accounts/authenticate.ts';
import { findCaller } from '#src/accounts/people/sessions.ts';
import { hasCookie } from '#src/accounts/people/session-cookie.ts';
import { type Principal, type Scope, whyForbidden } from '#src/accounts/principal.ts';
import { readAccount } from '#src/accounts/account.ts';
import { explainPlanLimit } from '#src/billing/plans.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import { presentedKey } from './presented-key.ts';

/** @throws Problem UNAUTHENTICATED without a valid key or session */
export type Identify = (headers: IncomingHttpHeaders) => Promise<Principal>;

/** Identifies callers by their API key, else by the cookie of their session. */
export function createIdentify({
  authenticate,
  db,
  signIn,
}: Pick<Services, 'db' | 'signIn'> & { authenticate: Authenticate }): Identify {
  return async (headers) => {
    const key = presentedKey(headers);
    if (key !== null) return (await authenticate(key)) ?? refuse(KEY_IS_INVALID);
    if (!hasCookie(headers.cookie, signIn.cookie)) return refuse(NOTHING_PRESENTED);
    const session = await signIn.findSession(headers.cookie);
    return (session && (await findCaller(db, session))) ?? refuse(SESSION_IS_OVER);
  };
}

const NOTHING_PRESENTED =
  'The request carries no API key. Send the header Authorization: Bearer <API_KEY>.';
const KEY_IS_INVALID =
  'The API key is not valid: it is unknown, expired or revoked. Ask an admin of your workspace for another.';
const SESSION_IS_OVER = 'The session is over: it has expired or was ended. Sign in again.';

function refuse(message: string): never {
  throw new Problem('UNAUTHENTICATED', message);
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
