import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { CcPairId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { DocumentStatus } from '#src/tables/documents.ts';

/** Inserts a document of a pair, as a run leaves it. @returns its row id */
export async function insertDocument(
  db: Database,
  pair: CcPairId,
  status: DocumentStatus,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into document (workspace_id, external_id, semantic_identifier, source, sections,
        metadata, tags, primary_owners, secondary_owners, content_hash, content_bytes, status)
      select workspace_id, ${randomUUID()}, 'Page', source, '[]', '{}', '{}', '[]', '[]', '\\x00', 1,
        ${status}
      from cc_pair where id = ${pair}
      returning id)
    insert into document_cc_pair (document_id, cc_pair_id, seen_at)
    select id, ${pair}, now() from made returning document_id as id`.execute(db);
  const [made] = rows;
  if (!made) throw new Error('The document was not inserted.');
  return made.id;
}
