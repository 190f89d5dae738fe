import { sql } from 'kysely';
import { isPrivateToOthers, type Reader } from '#src/documents/document-access.ts';
import type { CcPairId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

const MAX_LISTED = 1_000;

/** Where documents can be from, by which lists and searches are narrowed. */
export interface DocumentOrigins {
  pairs: { id: CcPairId; name: string; source: string }[];
  documentSets: string[];
}

/** The pairs that the reader may see, and the document sets that have one of them, by name. */
export async function listOrigins(
  db: Database,
  { workspaceId, userId }: Reader,
): Promise<DocumentOrigins> {
  const isSeen = sql<boolean>`p.workspace_id = ${workspaceId} and not p.is_default
    and p.status <> 'DELETING' and not ${isPrivateToOthers('p', userId)}`;
  const { rows: pairs } = await sql<DocumentOrigins['pairs'][number]>`
    select p.id, p.name, p.source from cc_pair p where ${isSeen}
    order by lower(p.name), p.id limit ${MAX_LISTED}`.execute(db);
  const { rows: sets } = await sql<{ name: string }>`
    select s.name from document_set s where s.workspace_id = ${workspaceId}
      and exists (select 1 from document_set_cc_pair m join cc_pair p on p.id = m.cc_pair_id
        where m.document_set_id = s.id and ${isSeen})
    order by lower(s.name) limit ${MAX_LISTED}`.execute(db);
  return { pairs, documentSets: sets.map(({ name }) => name) };
}
