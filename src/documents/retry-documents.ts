import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** Resets the attempts of failed documents. The caller has locked the rows, and sends their jobs afterwards. */
export async function retryDocuments(
  trx: DatabaseTransaction,
  ids: readonly DocumentId[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update document set status = 'accepted', attempts = 0, next_attempt_at = null, error = null,
      queued_at = now()
    where id = any(${ids}::bigint[])`.execute(trx);
}
