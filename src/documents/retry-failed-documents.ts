import { sql } from 'kysely';
import type { DocumentId } from '#src/ids.ts';
import type { DocumentServices } from './document-services.ts';
import { retryDocuments } from './retry-documents.ts';

/**
 * Sends failed documents through indexing again.
 * @returns how many; those that have not failed any more, or that somebody else is retrying, are left alone
 */
export async function retryFailedDocuments(
  { db, documentAcceptor }: Pick<DocumentServices, 'db' | 'documentAcceptor'>,
  ids: readonly DocumentId[],
  requestId: string,
): Promise<number> {
  const retried = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId }>`
      select id from document where id = any(${ids}::bigint[]) and status = 'failed'
      order by id for update skip locked`.execute(trx);
    const failed = rows.map(({ id }) => id);
    await retryDocuments(trx, failed);
    return failed;
  });
  await documentAcceptor.enqueue(retried, requestId);
  return retried.length;
}
