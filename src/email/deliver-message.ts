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
import { holdForLimit, holdForTurn } from './hold-message.ts';
import type { SmtpOutcome } from './mailer.ts';
import { maxAttempts, retryDelayMs } from './message-retry.ts';
import { pacedSenderOf } from './pace-key.ts';
import { clearStrikes } from './pause-pace.ts';
import { endMessage, postponeMessage } from './record-outcome.ts';
import { resumeSending } from './resume-sending.ts';
import { giveBackTurn, type Place, type TakenTurn, takeTurn } from './take-turn.ts';

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
  | 'wait'
>;

/** How a job ended, for its log line. */
type End = 'nothing to do' | 'sent' | 'failed' | 'unknown' | 'postponed' | 'taken away';

/**
 * Sends a due message or verification. If a worker died after it had begun to send the content, the message may have
 * been sent: it ends as `unknown` and is never resent.
 * @throws the signal's reason, or an internal error; unless its content was begun, the message is then due again at
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
  const place = await placeOf(services, message);
  if (place.kind === 'later') {
    const { end, isRecorded } = await holdForTurn(services, message, place);
    return { messageId, end: done(end, isRecorded) };
  }
  const { waitMs, taken } = place;
  const sending = { password: password.text, waitMs, taken, signal };
  const advice = adviseOn(services, message, signal);
  const outcome = await send(services, message, sending);
  return { messageId, end: await record(services, message, { outcome, taken, advice }) };
}

/** Verifications skip the line: someone is waiting, and they show whether the server accepts mail again. */
async function placeOf(
  { db }: DeliverServices,
  message: ClaimedMessage,
): Promise<Place | { kind: 'now'; waitMs: 0; taken: null }> {
  if (message.kind === 'verification') return { kind: 'now', waitMs: 0, taken: null };
  return takeTurn(db, pacedSenderOf(message), { hasTurn: message.has_turn });
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

interface Sending {
  password: string;
  /** How long to wait for its turn. */
  waitMs: number;
  taken: TakenTurn | null;
  signal: AbortSignal;
}

/** @throws any error that is not about the message; its claim is released then */
async function send(
  services: DeliverServices,
  message: ClaimedMessage,
  { password, waitMs, taken, signal }: Sending,
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
    if (waitMs > 0) await services.wait(waitMs, signal);
    const outgoing = composeMessage(services, message);
    const settings = { host, port, user, password };
    const outcome = await services.mailer.send(settings, outgoing, { beforeData, signal });
    if (failure === null) return outcome;
  } catch (error) {
    failure ??= error;
  }
  if (failure instanceof ClaimLost) return failure;
  try {
    if (isBegun) await endUnknown(services, message);
    else {
      await giveBackTurn(services.db, taken);
      await releaseClaim(services.db, message, { attemptCounts: !signal.aborted });
    }
  } catch (error) {
    // Not thrown: the first failure tells more. The claim runs out, and `reconcile` finds the message.
    services.log.error(
      { error: String(error), messageId: message.id },
      'a claimed message was not given back',
    );
  }
  throw failure;
}

interface Result {
  outcome: SmtpOutcome | ClaimLost;
  taken: TakenTurn | null;
  advice: Promise<string[]>;
}

async function record(
  services: DeliverServices,
  message: ClaimedMessage,
  { outcome, taken, advice }: Result,
): Promise<End> {
  if (outcome instanceof ClaimLost) {
    await giveBackTurn(services.db, taken);
    return 'taken away';
  }
  switch (outcome.kind) {
    case 'sent': {
      const ending = { status: 'sent' as const, advice: await advice };
      const isRecorded = await endMessage(services, message, ending);
      await (taken === null
        ? resumeSending(services, pacedSenderOf(message))
        : clearStrikes(services.db, taken));
      return done('sent', isRecorded);
    }
    case 'unknown':
      return done(
        'unknown',
        await endMessage(services, message, {
          status: 'unknown',
          error: outcome.message,
          advice: await advice,
        }),
      );
    case 'failed':
      await giveBackTurn(services.db, taken);
      return recordFailure(services, message, { outcome, taken, advice });
  }
}

async function recordFailure(
  services: DeliverServices,
  message: ClaimedMessage,
  { outcome, taken, advice }: Result & { outcome: SmtpOutcome & { kind: 'failed' } },
): Promise<End> {
  const { errorClass, limit, message: error } = outcome;
  if (limit !== null && taken !== null) {
    const held = await holdForLimit(services, message, { period: limit, taken, error });
    return done(held.end, held.isRecorded);
  }
  const delayMs = outcome.isTemporary ? retryDelayMs(message, errorClass) : null;
  if (delayMs !== null) {
    const postponement = { delayMs, errorClass, error };
    return done('postponed', await postponeMessage(services, message, postponement));
  }
  const ending = { status: 'failed' as const, errorClass, error, advice: await advice };
  return done('failed', await endMessage(services, message, ending));
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
