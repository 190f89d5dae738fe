import { sql } from 'kysely';
import { type StripeRun, workspaceOfCustomer } from './stripe-links.ts';
import { dateOf, type StripeEvent } from './stripe-object.ts';

/** Longer than Stripe keeps resending an event. */
const LATENESS_DAYS = 7;

/**
 * Saves the e-mail address of a workspace's customer; null removes it. Each event contains the whole customer, so an
 * event older than the last one changes nothing.
 */
export async function saveEmail(
  { trx, eventId, workspaces }: StripeRun,
  { created }: StripeEvent,
  { customerId, email }: { customerId: string; email: string | null },
): Promise<void> {
  const workspaceId = await workspaceOfCustomer(trx, customerId);
  if (workspaceId === null) return;
  workspaces.add(workspaceId);
  await sql`
    update stripe_customer set email = ${email}
    where id = ${customerId} and not exists (
      select 1 from stripe_event e
      where e.workspace_id = ${workspaceId} and e.id <> ${eventId}
        and e.type in ('customer.created', 'customer.updated', 'customer.deleted')
        and e.created_at > ${dateOf(created)}
        and e.processed_at > now() - make_interval(days => ${LATENESS_DAYS}))`.execute(trx);
}
