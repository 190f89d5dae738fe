import type { ClaimedMessage } from './claim-message.ts';
import { describeGivenUp, describeTurn } from './describe-pace.ts';
import type { LimitPeriod } from './limit-period.ts';
import { pausePace } from './pause-pace.ts';
import { endMessage, postponeMessage, type RecordServices } from './record-outcome.ts';
import { LONGEST_HOLD_MS } from './send-pace.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';
import type { Place, TakenTurn } from './take-turn.ts';

/** The new state of a held message, and whether it was recorded; false when the claim was lost. */
interface Held {
  end: 'postponed' | 'failed';
  isRecorded: boolean;
}

/** Requeues a message whose turn has not come. */
export async function holdForTurn(
  services: RecordServices,
  message: ClaimedMessage,
  { delayMs, hasTurn, because, limit }: Place & { kind: 'later' },
): Promise<Held> {
  return hold(services, message, {
    delayMs,
    hasTurn,
    errorClass: because === 'refused' ? 'rate_limited_by_provider' : null,
    error: describeTurn(because, { host: message.account.smtp_host, limit }),
  });
}

/** Requeues a message refused because of a sending limit, and pauses all other messages of its sender. */
export async function holdForLimit(
  services: RecordServices,
  message: ClaimedMessage,
  { period, taken, error }: { period: LimitPeriod; taken: TakenTurn; error: string },
): Promise<Held> {
  const next = await pausePace(services.db, taken, period);
  return hold(services, message, { ...next, errorClass: 'rate_limited_by_provider', error });
}

async function hold(
  services: RecordServices,
  message: ClaimedMessage,
  {
    delayMs,
    hasTurn,
    errorClass,
    error,
  }: { delayMs: number; hasTurn: boolean; errorClass: SmtpErrorClass | null; error: string },
): Promise<Held> {
  const leftMs = LONGEST_HOLD_MS - (message.limited_ms ?? 0);
  if (leftMs <= 0) {
    const ending = {
      status: 'failed' as const,
      errorClass: 'rate_limited_by_provider' as const,
      error: describeGivenUp(error),
      advice: [],
    };
    return { end: 'failed', isRecorded: await endMessage(services, message, ending) };
  }
  const isRecorded = await postponeMessage(services, message, {
    delayMs: Math.min(delayMs, leftMs),
    errorClass,
    error,
    limited: { hasTurn: hasTurn && delayMs <= leftMs },
  });
  return { end: 'postponed', isRecorded };
}
