import type { ProviderLimit } from './provider-limits.ts';
import { dayRoomOf, type Turn } from './send-pace.ts';

/** Explains to the account's owner why a message waits. `next_attempt_at` shows until when. */
export function describeTurn(
  because: (Turn & { kind: 'later' })['because'],
  { host, limit }: { host: string; limit: ProviderLimit | null },
): string {
  switch (because) {
    case 'rate':
      return `${rateOf(limit, host)}, so this message waits for its turn.`;
    case 'day':
      return `${limit?.provider ?? host} accepts ${limit?.perDay ?? 0} messages a day from one account. ${dayRoomOf(limit) ?? 0} have been sent within 24 hours, and the rest is reserved for other mail, so this message waits.`;
    case 'refused':
      return `${host} has said that this account has reached a sending limit, so sending is paused. This message is sent afterwards. A successful verification ends the pause.`;
  }
}

/** For messages that waited too long. */
export function describeGivenUp(reason: string): string {
  return `Given up after waiting three days for a sending limit. ${reason} Send it again, or through another account.`;
}

function rateOf(limit: ProviderLimit | null, host: string): string {
  const who = limit?.provider ?? host;
  if (limit?.perMinute !== null && limit?.perMinute !== undefined) {
    return `${who} accepts ${limit.perMinute} messages a minute from one account`;
  }
  if (limit?.perHour !== null && limit?.perHour !== undefined) {
    return `${who} accepts ${limit.perHour} messages an hour from one account`;
  }
  return `${who} accepts only some messages at a time`;
}
