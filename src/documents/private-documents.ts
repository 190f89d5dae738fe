import { type RawBuilder, sql } from 'kysely';
import type { DocumentId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** False for nearly every workspace: then no search has to look for what it must not find. */
export async function hasPrivatePairsOfOthers(
  db: Database,
  workspaceId: WorkspaceId,
  userId: UserId,
): Promise<boolean> {
  const { rows } = await sql`select 1 from cc_pair p
    where p.workspace_id = ${workspaceId} and ${isOthers('p', userId)} limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Ids of the documents that this user may not see: all pairs that have them are private to somebody else. A document
 * that is public, or the user's own, in one pair is visible, whatever other pairs have it.
 */
export function privateToOthers(
  workspaceId: WorkspaceId,
  userId: UserId,
): RawBuilder<{ document_id: DocumentId }> {
  return sql`select l.document_id from cc_pair p
    join document_cc_pair l on l.cc_pair_id = p.id
    where p.workspace_id = ${workspaceId} and ${isOthers('p', userId)}
      and not exists (select 1 from document_cc_pair ol join cc_pair o on o.id = ol.cc_pair_id
        where ol.document_id = l.document_id and not (${isOthers('o', userId)}))`;
}

function isOthers(pair: string, userId: UserId): RawBuilder<boolean> {
  return sql<boolean>`lower(${sql.ref(`${pair}.access_type`)}) = 'private'
    and ${sql.ref(`${pair}.created_by`)} is distinct from ${userId}`;
}
