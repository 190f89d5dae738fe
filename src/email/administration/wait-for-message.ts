import type { EmailServices } from '#src/email/email-services.ts';
import { findMessage, type MessageAddress, type MessageRecord } from './messages.ts';

/** The response comes within this time; it then points to where the outcome will be. */
const WAIT_MS = 20_000;

/**
 * Waits a limited time for a worker to finish a message.
 * @returns the message in its state at the end
 * @throws the signal's reason; Problem NOT_FOUND when its account was deleted meanwhile
 */
export async function waitUntilFinished(
  { db, messageWatch }: Pick<EmailServices, 'db' | 'messageWatch'>,
  address: MessageAddress,
  { isAsync, signal }: { isAsync: boolean; signal: AbortSignal },
): Promise<MessageRecord> {
  if (!isAsync) await messageWatch.finished(address.id, { timeoutMs: WAIT_MS, signal });
  return findMessage(db, address);
}
