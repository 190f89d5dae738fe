import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import { mayChangeDocument, type Reader, type Writer, writerValues } from './document-access.ts';
import { retryDocuments } from './retry-documents.ts';

/**
 * Gives a failed document all its attempts back. The caller sends its job.
 * @returns null when there is none that the writer may change
 * @throws Problem CONFLICT when it has not failed
 */
export async function retryDocument(
  db: Database,
  { workspaceId, ...writer }: Reader & Writer,
  externalId: string,
): Promise<DocumentId | null> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId; status: string }>`
      select d.id, d.status from document d
      where d.workspace_id = ${workspaceId} and d.external_id = ${externalId}
        and ${mayChangeDocument('d', writerValues(writer))}
      for update of d`.execute(trx);
    const found = rows[0];
    if (found === undefined) return null;
    if (found.status !== 'failed') {
      throw new Problem(
        'CONFLICT',
        `The document is ${found.status}, not failed: there is nothing to try again.`,
      );
    }
    await retryDocuments(trx, [found.id]);
    return found.id;
  });
}
