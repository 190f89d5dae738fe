import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { EmailMessageId } from '#src/ids.ts';
import type { EmailServices } from './email-services.ts';

/** What waits to be sent. */
export interface WaitingMessage {
  id: EmailMessageId;
  kind: 'verification' | 'message';
}

export interface SendOptions {
  delayMs?: number;
  requestId?: string | null;
  /**
   * Its place among what its workspace has waiting: the first of one goes before the second of another, however many
   * that one has.
   */
  place?: number;
}

/** More places than this are not told apart. */
const LAST_PLACE = 1_000;

/**
 * Tells the workers to look at messages. Call it after the commit, never inside a transaction. A job that is lost on
 * the way is made up for by `reconcile`, so a queue that is down delays a message but fails nobody.
 */
export async function sendJobs(
  { producer, log }: Pick<EmailServices, 'producer' | 'log'>,
  messages: readonly WaitingMessage[],
  { place = 1, ...options }: SendOptions = {},
): Promise<void> {
  const idsOf = (kind: WaitingMessage['kind']): EmailMessageId[] =>
    messages.filter((message) => message.kind === kind).map(({ id }) => id);
  const sent = { ...options, priority: Math.min(place, LAST_PLACE) };
  try {
    const verifications = idsOf('verification').map((verificationId) => ({ verificationId }));
    await producer.enqueueMany(emailVerify, verifications, sent);
    const others = idsOf('message').map((messageId) => ({ messageId }));
    await producer.enqueueMany(emailSend, others, sent);
  } catch (error) {
    log.warn({ error: String(error) }, 'email jobs not sent: reconcile will send them');
  }
}
