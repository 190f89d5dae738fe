import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** Counting stops here. */
const LAST_PLACE = 1_000;

/** The number of messages that the workspace has due now, including the one just written. */
export async function placeInLine(
  trx: DatabaseTransaction,
  workspaceId: WorkspaceId,
): Promise<number> {
  const { rows } = await sql<{ place: number }>`
    select count(*)::int as place from (select 1 from email_message
      where workspace_id = ${workspaceId} and finished_at is null and queued_at <= now()
      limit ${LAST_PLACE}) waiting`.execute(trx);
  return rows[0]?.place ?? 1;
}
