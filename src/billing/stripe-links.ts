import type { Logger } from 'pino';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** One event on its way into the rows, and what it leads to. */
export interface StripeRun {
  readonly trx: DatabaseTransaction;
  readonly log: Pick<Logger, 'warn'>;
  readonly eventId: string;
  readonly now: Date;
  /** Workspaces whose plan is to be settled. */
  readonly workspaces: Set<WorkspaceId>;
  /** Checkouts that have become paid for and known in all that is told of them. */
  readonly completedCheckouts: Set<string>;
  /** Subscriptions that have become deleted with their workspace known. */
  readonly deletedSubscriptions: Set<string>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The workspace of this id, or that of the user with this id; null for what is no id, or of nobody here. */
async function findWorkspace(
  trx: DatabaseTransaction,
  id: string | null,
): Promise<WorkspaceId | null> {
  if (id === null || !UUID.test(id)) return null;
  const row = await trx
    .selectFrom('workspace')
    .select('id')
    .where('id', '=', id.toLowerCase() as WorkspaceId) // has the form of one, and this looks whether it is one
    .executeTakeFirst();
  if (row) return row.id;
  const user = await trx
    .selectFrom('user_account')
    .select('workspace_id')
    .where('id', '=', id.toLowerCase() as UserId) // as above
    .executeTakeFirst();
  return user?.workspace_id ?? null;
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
 * Whose something is: the first of these links that there is. Whoever has it keeps it; then what the operator's metadata
 * say; then whose the customer is; last what the buyer's link says, which anybody can write.
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
  const claimed = await findWorkspace(trx, links.claim);
  const referred = await findWorkspace(trx, links.reference);
  const owner =
    links.present ?? claimed ?? (await workspaceOfCustomer(trx, links.customerId)) ?? referred;
  for (const ignored of [claimed, referred]) {
    if (ignored !== null && ignored !== owner) {
      log.warn(
        { stripeEventId: eventId, workspaceId: owner, ignoredWorkspaceId: ignored },
        'Stripe names another workspace: the first one that was linked keeps it',
      );
    }
  }
  return owner;
}

/** Links a customer to its workspace for good; true when it was not linked before. */
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

/** Subscriptions of a customer that were told of before anybody knew whose they are. */
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
