import type { EmailAccountId, EmailMessageId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { findMessage, type MessageRecord } from './messages.ts';
import { unknownVerification } from '#src/email/path-ids.ts';

/** @throws Problem NOT_FOUND, also for a verification of another account */
export async function findVerification(
  db: Database,
  {
    workspaceId,
    accountId,
    id,
  }: { workspaceId: WorkspaceId; accountId: EmailAccountId; id: EmailMessageId },
): Promise<MessageRecord> {
  const found = await findMessage(db, { workspaceId, id }).catch((error: unknown) => {
    throw error instanceof Problem ? unknownVerification(id) : error;
  });
  if (found.kind !== 'verification' || found.email_account_id !== accountId) {
    throw unknownVerification(id);
  }
  return found;
}
