import type { WorkspaceId } from '#src/ids.ts';
import { blockedEmails } from '#src/outreach/do-not-contact.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

/** Whether the workspace may write to an address, according to its current do-not-contact list. */
export async function mayBeContacted(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  recipient: string,
): Promise<boolean> {
  const blocked = await blockedEmails(db, workspaceId, [recipient.toLowerCase()]);
  return blocked.size === 0;
}

/** @throws Problem CONFLICT for a recipient on the do-not-contact list */
export async function assertMayBeContacted(
  db: Database | DatabaseTransaction,
  workspaceId: WorkspaceId,
  { field, recipient }: { field: string; recipient: string },
): Promise<void> {
  if (await mayBeContacted(db, workspaceId, recipient)) return;
  throw new Problem(
    'CONFLICT',
    `body.${field}: ${recipient} is on the do-not-contact list of this workspace, directly or by its domain. GET /do-not-contact shows the list; an admin can remove the entry.`,
  );
}
