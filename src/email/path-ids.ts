import type { BounceMailboxId, EmailAccountId, EmailMessageId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import { isUuid } from '#src/platform/is-uuid.ts';

// Path ids are branded here, after their format is checked: an id of any other format cannot exist.

/** @throws Problem NOT_FOUND */
export function accountIdOf(text: string): EmailAccountId {
  if (!isUuid(text)) throw unknownAccount(text);
  return text.toLowerCase() as EmailAccountId;
}

/** @throws Problem NOT_FOUND */
export function messageIdOf(text: string): EmailMessageId {
  if (!isUuid(text)) throw unknownMessage(text);
  return text.toLowerCase() as EmailMessageId;
}

/** @throws Problem NOT_FOUND */
export function verificationIdOf(text: string): EmailMessageId {
  if (!isUuid(text)) throw unknownVerification(text);
  return text.toLowerCase() as EmailMessageId;
}

/** @throws Problem NOT_FOUND */
export function bounceMailboxIdOf(text: string): BounceMailboxId {
  if (!isUuid(text)) throw unknownBounceMailbox(text);
  return text.toLowerCase() as BounceMailboxId;
}

/** The error for an id that does not exist in this workspace. */
export function unknownAccount(id: string): Problem {
  return unknown('email account', id, 'GET /email-accounts lists them');
}

export function unknownMessage(id: string): Problem {
  return unknown('email message', id, 'GET /email-messages lists those that are kept');
}

export function unknownVerification(id: string): Problem {
  return unknown('verification', id, 'POST /email-accounts/{id}/verify begins one');
}

export function unknownBounceMailbox(id: string): Problem {
  return unknown('bounce mailbox', id, 'GET /bounce-mailboxes lists them');
}

function unknown(thing: string, id: string, where: string): Problem {
  const shown = JSON.stringify(id.slice(0, 100));
  return new Problem('NOT_FOUND', `There is no ${thing} with the id ${shown}. ${where}.`);
}
