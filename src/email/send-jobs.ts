import { sql } from 'kysely';
import { emailSend } from '#queues/email-send.ts';
import { emailVerify } from '#queues/email-verify.ts';
import type { EmailMessageId } from '#src/ids.ts';
import type { EmailServices } from './email-services.ts';

/** A message that waits to be sent. */
export interface WaitingMessage {
  id: EmailMessageId;
  kind: 'verification' | 'message';
}

export interface SendOptions {
  delayMs?: number;
  requestId?: string | null;
  /**
   * Place among the waiting messages of its workspace: one workspace's first message goes before another's second,
   * however many messages either has.
   */
  place?: number;
}

/** Places beyond this one have the same priority. */
const LAST_PLACE = 1_000;

/**
 * Tells the workers to look at messages. Call it after the commit, never inside a transaction. `reconcile` sends lost
 * jobs again, so a queue that is down delays a message but fails no request.
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

/** A message with its place among the waiting messages of its workspace. */
export interface PlacedMessage extends WaitingMessage {
  place: number;
}

/** The column `placed.place`, rounded to powers of two, so that there are few of them to send jobs for. */
export const roundedPlace = sql<number>`(2 ^ floor(log(2, placed.place)))::int`;

/** `sendJobs` with the place of each message, so that a workspace with many of them does not go before others. */
export async function sendPlaced(
  services: Pick<EmailServices, 'producer' | 'log'>,
  messages: readonly PlacedMessage[],
  options: Pick<SendOptions, 'delayMs'> = {},
): Promise<void> {
  for (const [place, ofPlace] of Map.groupBy(messages, (message) => message.place)) {
    await sendJobs(services, ofPlace, { ...options, place });
  }
}
