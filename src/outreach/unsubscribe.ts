import { sql } from 'kysely';
import { Problem } from '#src/platform/errors.ts';
import type { OutreachServices } from './outreach-services.ts';
import { addDoNotContact } from './do-not-contact.ts';
import { readUnsubscribeToken, type Unsubscription } from './unsubscribe-token.ts';

/** @throws Problem NOT_FOUND when the token is not one of a message that this service has sent */
export function readUnsubscription(
  { unsubscribeSecrets }: Pick<OutreachServices, 'unsubscribeSecrets'>,
  token: string,
): Unsubscription {
  const unsubscription = readUnsubscribeToken(unsubscribeSecrets, token);
  if (unsubscription) return unsubscription;
  throw new Problem(
    'NOT_FOUND',
    'This link is not whole, or not of a message from here. Open it from the message itself, or answer the message and ask to be taken off.',
  );
}

/**
 * Puts the address of a token on the do-not-contact list, however long that is; once there, it stays as it is.
 * @throws Problem NOT_FOUND as `readUnsubscription`
 */
export async function unsubscribe(
  services: Pick<OutreachServices, 'db' | 'unsubscribeSecrets'>,
  token: string,
): Promise<void> {
  const { workspaceId, email } = readUnsubscription(services, token);
  const { rows } = await sql`select id from workspace where id = ${workspaceId}`.execute(
    services.db,
  );
  // A workspace that is gone sends nothing any more.
  if (rows.length === 0) return;
  await addDoNotContact(services.db, workspaceId, [{ kind: 'email', value: email }], {
    reason: 'unsubscribed',
  });
}
