import type { EmailServices } from '#src/email/email-services.ts';
import { findMessage, type MessageAddress, type MessageRecord } from './messages.ts';

/** An answer comes within this time; whoever asked is then told where to look. */
const WAIT_MS = 20_000;

/**
 * Waits until a worker has finished a message, for a while.
 * @returns the message as it then stands
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
