import { sql } from 'kysely';
import type { CcPairId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';

/** Records when a pair's source last showed documents. Pruning keeps those seen after its listing began. */
export async function markSeen(
  trx: DatabaseTransaction,
  pair: { id: CcPairId; workspace_id: WorkspaceId },
  externalIds: readonly string[],
  now: Date,
): Promise<void> {
  if (externalIds.length === 0) return;
  await sql`
    with seen as (
      select id from document where workspace_id = ${pair.workspace_id}
        and external_id = any(${externalIds}::text[]) and status <> 'deleting'
    )
    insert into document_cc_pair as l (document_id, cc_pair_id, seen_at)
    select id, ${pair.id}, ${now} from seen order by id
    on conflict (document_id, cc_pair_id) do update set seen_at = excluded.seen_at`.execute(trx);
}
