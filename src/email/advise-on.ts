import { domainToASCII } from 'node:url';
import { sql } from 'kysely';
import type { EmailAccountId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { startDeadline, untilAborted } from '#src/platform/deadline.ts';
import type { ClaimedMessage } from './claim-message.ts';
import { type CheckedSender, checkSender } from '#src/email/deliverability/check-sender.ts';
import type { EmailServices } from './email-services.ts';
import { isProviderDomain } from './known-providers.ts';

/** Maximum time that the outcome of a verification waits for advice. */
const DEADLINE_MS = 8_000;

/**
 * Checks the sender's DNS records during a verification, and stores the result with the account.
 * @returns the advice; never rejects: lookups that do not finish in time are omitted
 */
export async function adviseOn(
  { db, dns }: Pick<EmailServices, 'db' | 'dns'>,
  { kind, account, email_account_id: id }: ClaimedMessage,
  signal: AbortSignal,
): Promise<string[]> {
  if (kind !== 'verification') return [];
  const { email, smtp_user: smtpUser, smtp_host: smtpHost } = account;
  const isProviders = isProviderDomain(domainToASCII(email.slice(email.lastIndexOf('@') + 1)));
  using deadline = startDeadline(signal, DEADLINE_MS);
  try {
    const sender = { email, smtpUser, smtpHost, isProviders };
    const checked = checkSender(dns, sender, deadline.signal);
    const { warnings, deliverability } = await untilAborted(checked, deadline.signal);
    await keepDeliverability(db, id, deliverability);
    return warnings;
  } catch {
    return [];
  }
}

async function keepDeliverability(
  db: Database,
  id: EmailAccountId,
  found: CheckedSender['deliverability'],
): Promise<void> {
  await db
    .updateTable('email_account')
    .set({
      deliverability: found && JSON.stringify(found),
      deliverability_at: found && sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute();
}
