import { findWorkspace } from '#src/accounts/find-workspace.ts';
import { Problem } from '#src/platform/errors.ts';
import type { OutreachServices } from './outreach-services.ts';
import { addDoNotContact } from './do-not-contact.ts';
import { readUnsubscribeToken, type Unsubscription } from './unsubscribe-token.ts';

/** @throws Problem NOT_FOUND when the token is not from a message that this service sent */
export function readUnsubscription(
  { unsubscribeSecrets }: Pick<OutreachServices, 'unsubscribeSecrets'>,
  token: string,
): Unsubscription {
  const unsubscription = readUnsubscribeToken(unsubscribeSecrets, token);
  if (unsubscription) return unsubscription;
  throw new Problem(
    'NOT_FOUND',
    'This link is incomplete or not from a message that we sent. Open it from the message itself, or reply to the message and ask to be removed.',
  );
}

/**
 * Adds the address of a token to the do-not-contact list, even if the list is full; an existing entry stays unchanged.
 * @throws Problem NOT_FOUND as `readUnsubscription`
 */
export async function unsubscribe(
  services: Pick<OutreachServices, 'db' | 'unsubscribeSecrets'>,
  token: string,
): Promise<void> {
  const { workspaceId, email } = readUnsubscription(services, token);
  // A deleted workspace sends no more messages.
  if ((await findWorkspace(services.db, workspaceId)) === null) return;
  await addDoNotContact(services.db, workspaceId, [{ kind: 'email', value: email }], {
    reason: 'unsubscribed',
  });
}
