import { UnreadableSecret } from '#src/platform/crypto.ts';
import type { EmailMessageId } from '#src/ids.ts';
import type { EmailServices } from './email-services.ts';
import { sealedFor, SETTINGS_CHANGED } from './accounts.ts';
import { adviseOn } from './advise-on.ts';
import {
  type ClaimedMessage,
  claimMessage,
  ClaimLost,
  markDataStarted,
  releaseClaim,
} from './claim-message.ts';
import { composeMessage } from './compose-message.ts';
import { mayBeContacted } from './contactable.ts';
import { describeUnknown } from './describe-failure.ts';
import type { SmtpOutcome } from './mailer.ts';
import { maxAttempts, retryDelayMs } from './message-retry.ts';
import { endMessage, postponeMessage } from './record-outcome.ts';

export type DeliverServices = Pick<
  EmailServices,
  | 'clock'
  | 'config'
  | 'db'
  | 'dns'
  | 'log'
  | 'mailer'
  | 'pointsAwarder'
  | 'producer'
  | 'secrets'
  | 'unsubscribeSecrets'
>;

/** How a job ended, for its log line. */
type End = 'nothing to do' | 'sent' | 'failed' | 'unknown' | 'postponed' | 'taken away';

/**
 * Sends a message that is due, a verification or any other. If a worker died after it had started to send the content,
 * the message may have been sent: it ends as `unknown` and is never sent again.
 * @throws the signal's reason, or an error of our own; unless its content was started, the message is then due again at
 * once
 */
export async function deliverMessage(
  services: DeliverServices,
  messageId: EmailMessageId,
  signal: AbortSignal,
): Promise<{ messageId: EmailMessageId; end: End }> {
  const message = await claimMessage(services.db, messageId);
  if (!message) return { messageId, end: 'nothing to do' };
  if (message.data_started_at !== null) {
    return { messageId, end: await endUnknown(services, message) };
  }
  const refusal = await whyNotSend(services, message);
  if (refusal !== null) return { messageId, end: await fail(services, message, refusal) };
  const password = openPassword(services, message);
  if (password.sentence !== null) {
    return { messageId, end: await fail(services, message, password.sentence) };
  }
  const advice = adviseOn(services, message, signal);
  const outcome = await send(services, message, { password: password.text, signal });
  return { messageId, end: await record(services, message, { outcome, advice }) };
}

async function whyNotSend(
  { db }: DeliverServices,
  message: ClaimedMessage,
): Promise<string | null> {
  if (!message.is_current) return SETTINGS_CHANGED;
  if (message.attempts > maxAttempts(message.kind)) {
    return 'The service was stopped repeatedly while it tried to send this. Send it again.';
  }
  if (message.kind === 'verification') return null;
  const may = await mayBeContacted(db, message.workspace_id, message.recipient);
  return may ? null : 'The recipient was put on the do-not-contact list before it was sent.';
}

function openPassword(
  { secrets }: DeliverServices,
  { account, email_account_id: id }: ClaimedMessage,
): { text: string; sentence: null } | { sentence: string } {
  try {
    return { text: secrets.open(account.smtp_password, sealedFor(id)), sentence: null };
  } catch (error) {
    if (error instanceof UnreadableSecret) return { sentence: error.message };
    throw error;
  }
}

/** @throws any error that is not about the message; its claim is released then */
async function send(
  services: DeliverServices,
  message: ClaimedMessage,
  { password, signal }: { password: string; signal: AbortSignal },
): Promise<SmtpOutcome | ClaimLost> {
  const { account } = message;
  const { smtp_host: host, smtp_port: port, smtp_user: user } = account;
  let isBegun = false;
  let failure: unknown = null;
  const beforeData = async (): Promise<void> => {
    try {
      await markDataStarted(services.db, message);
      isBegun = true;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    const outgoing = composeMessage(services, message);
    const settings = { host, port, user, password };
    const outcome = await services.mailer.send(settings, outgoing, { beforeData, signal });
    if (failure === null) return outcome;
  } catch (error) {
    failure ??= error;
  }
  if (failure instanceof ClaimLost) return failure;
  if (isBegun) await endUnknown(services, message);
  else await releaseClaim(services.db, message, { attemptCounts: !signal.aborted });
  throw failure;
}

async function record(
  services: DeliverServices,
  message: ClaimedMessage,
  { outcome, advice }: { outcome: SmtpOutcome | ClaimLost; advice: Promise<string[]> },
): Promise<End> {
  if (outcome instanceof ClaimLost) return 'taken away';
  switch (outcome.kind) {
    case 'sent':
      return done(
        'sent',
        await endMessage(services, message, { status: 'sent', advice: await advice }),
      );
    case 'unknown':
      return done(
        'unknown',
        await endMessage(services, message, {
          status: 'unknown',
          error: outcome.message,
          advice: await advice,
        }),
      );
    case 'failed': {
      const { errorClass, message: error } = outcome;
      const delayMs = outcome.isTemporary ? retryDelayMs(message, errorClass) : null;
      if (delayMs !== null) {
        return done(
          'postponed',
          await postponeMessage(services, message, { delayMs, errorClass, error }),
        );
      }
      const ending = { status: 'failed' as const, errorClass, error, advice: await advice };
      return done('failed', await endMessage(services, message, ending));
    }
  }
}

async function fail(
  services: DeliverServices,
  message: ClaimedMessage,
  error: string,
): Promise<End> {
  const ending = { status: 'failed' as const, errorClass: 'failed' as const, error, advice: [] };
  return done('failed', await endMessage(services, message, ending));
}

async function endUnknown(services: DeliverServices, message: ClaimedMessage): Promise<End> {
  const error = describeUnknown({ host: message.account.smtp_host });
  return done(
    'unknown',
    await endMessage(services, message, { status: 'unknown', error, advice: [] }),
  );
}

function done(end: End, isRecorded: boolean): End {
  return isRecorded ? end : 'taken away';
}
