import { readAccount } from '#src/accounts/account.ts';
import type { Principal } from '#src/accounts/principal.ts';
import type { Operator } from '#src/operations/audit.ts';
import type { Services } from '#src/services.ts';

/** Who acts, for the audit log. */
export async function operatorOf(
  { db }: Pick<Services, 'db'>,
  principal: Principal,
  requestId: string,
): Promise<Operator> {
  const { displayName, email } = await readAccount(db, principal);
  const name = email ?? displayName;
  return { userId: principal.userId, keyId: principal.keyId, name, requestId };
}
