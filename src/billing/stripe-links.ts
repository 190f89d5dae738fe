import type { Logger } from 'pino';
import { findWorkspace, findWorkspaceOfUser } from '#src/accounts/find-workspace.ts';
import type { WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** The processing of one event, and its results. */
export interface StripeRun {
  readonly trx: DatabaseTransaction;
  readonly log: Pick<Logger, 'warn'>;
  readonly eventId: string;
  readonly now: Date;
  /** Workspaces whose plan must be settled. */
  readonly workspaces: Set<WorkspaceId>;
  /** Checkouts that this event completed: paid, and with their plan known. */
  readonly completedCheckouts: Set<string>;
  /** Subscriptions that this event made known as deleted, with their workspace known. */
  readonly deletedSubscriptions: Set<string>;
}

/** The workspace with this id, or that of the user with this id; null for an invalid or unknown id. */
async function findWorkspaceNamed(
  trx: DatabaseTransaction,
  id: string | null,
): Promise<WorkspaceId | null> {
  if (id === null) return null;
  return (await findWorkspace(trx, id)) ?? (await findWorkspaceOfUser(trx, id));
}

export async function workspaceOfCustomer(
  trx: DatabaseTransaction,
  customerId: string | null,
): Promise<WorkspaceId | null> {
  if (customerId === null) return null;
  const row = await trx
    .selectFrom('stripe_customer')
    .select('workspace_id')
    .where('id', '=', customerId)
    .executeTakeFirst();
  return row?.workspace_id ?? null;
}

/**
 * The owner, by the first link that exists: the current owner, then the one that the operator's metadata names, then
 * the customer's, and last the one in the buyer's link, which anyone can write.
 */
export async function findOwner(
  { trx, log, eventId }: StripeRun,
  links: {
    present: WorkspaceId | null;
    claim: string | null;
    customerId: string | null;
    reference: string | null;
  },
): Promise<WorkspaceId | null> {
  const claimed = await findWorkspaceNamed(trx, links.claim);
  const referred = await findWorkspaceNamed(trx, links.reference);
  const owner =
    links.present ?? claimed ?? (await workspaceOfCustomer(trx, links.customerId)) ?? referred;
  for (const ignored of [claimed, referred]) {
    if (ignored !== null && ignored !== owner) {
      log.warn(
        { stripeEventId: eventId, workspaceId: owner, ignoredWorkspaceId: ignored },
        'Stripe names another workspace: it stays with the one that was linked first',
      );
    }
  }
  return owner;
}

/** Links a customer to its workspace permanently; true when it was not linked before. */
export async function linkCustomer(
  trx: DatabaseTransaction,
  customer: { id: string; workspaceId: WorkspaceId; email: string | null },
): Promise<boolean> {
  const made = await trx
    .insertInto('stripe_customer')
    .values({ id: customer.id, workspace_id: customer.workspaceId, email: customer.email })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made) return true;
  if (customer.email !== null) {
    await trx
      .updateTable('stripe_customer')
      .set({ email: customer.email })
      .where('id', '=', customer.id)
      .where('workspace_id', '=', customer.workspaceId)
      .where('email', 'is', null)
      .execute();
  }
  return false;
}

/** Subscriptions of a customer that were reported before their owner was known. */
export async function orphansOf(trx: DatabaseTransaction, customerId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('stripe_subscription')
    .select('id')
    .where('customer_id', '=', customerId)
    .where('workspace_id', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
