import { readAccount } from '#src/accounts/account.ts';
import type { Principal } from '#src/accounts/principal.ts';
import { type Operator, recordAction } from '#src/operations/audit.ts';
import type { Services } from '#src/services.ts';
import type { Route } from './route.ts';

/** Who acts, for the audit log. */
export async function operatorOf(
  { db }: Pick<Services, 'db'>,
  principal: Principal,
  requestId: string,
): Promise<Operator> {
  const { displayName: name } = await readAccount(db, principal);
  return { userId: principal.userId, keyId: principal.keyId, name, requestId };
}

/** Writes what an operator asks for into the audit log: before it is done, so that nothing is done without a word. */
export async function auditRequest(
  services: Pick<Services, 'db'>,
  { audit }: Pick<Route, 'audit'>,
  {
    principal,
    requestId,
    ...input
  }: { principal: Principal | null; requestId: string; params: unknown; body: unknown },
): Promise<void> {
  if (audit === null || !principal?.isBootstrapWorkspace) return;
  const body = Object.entries(input.body ?? {}).filter(([name]) => audit.fields.includes(name));
  const detail = {
    ...Object.fromEntries(Object.entries(input.params ?? {})),
    ...Object.fromEntries(body),
  };
  const operator = await operatorOf(services, principal, requestId);
  await recordAction(services.db, operator, { action: audit.action, queue: null, detail });
}
