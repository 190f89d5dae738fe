import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { EmailServices } from './email-services.ts';
import { adviseSender } from './advise-sender.ts';
import type { ClaimedMessage } from './claim-message.ts';

/** Maximum time that the outcome of a verification waits for advice. */
const DEADLINE_MS = 8_000;

/** Advice on the sender of a verification. Never rejects: lookups that do not finish in time are left out. */
export async function adviseOn(
  { dns }: Pick<EmailServices, 'dns'>,
  { kind, account }: ClaimedMessage,
  signal: AbortSignal,
): Promise<string[]> {
  if (kind !== 'verification') return [];
  const { email, smtp_user: smtpUser, smtp_host: smtpHost } = account;
  using deadline = startDeadline(signal, DEADLINE_MS);
  try {
    const advice = adviseSender(dns, { email, smtpUser, smtpHost }, deadline.signal);
    return await untilAborted(advice, deadline.signal);
  } catch {
    return [];
  }
}
