import { sql } from 'kysely';
import { retryDocuments } from '#src/documents/retry-documents.ts';
import { LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import type { DocumentId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { PairRow } from './open-pair.ts';

/** Most documents refetched singly in one run; those with the fewest tries go first. */
const MAX_FETCHED_AGAIN = 1_000;
const MAX_INDEXED_AGAIN = 10_000;
/** A text that could not be indexed in this many runs is left alone until it changes. */
const MAX_INDEX_TRIES = 5;

/** Ids of the documents that earlier runs could not fetch and this run has not tried yet. */
export async function findFailedDocuments(
  db: Database,
  { id, pair }: ClaimedRun,
): Promise<string[]> {
  const rows = await db
    .selectFrom('index_attempt_error')
    .select('document_id')
    .where('cc_pair_id', '=', pair.id)
    .where('is_resolved', '=', false)
    .where('stage', '=', 'fetch')
    .where('document_id', 'is not', null)
    .where('index_attempt_id', '<>', id)
    .orderBy('tries')
    .orderBy('id')
    .limit(MAX_FETCHED_AGAIN)
    .$narrowType<{ document_id: string }>()
    .execute();
  return rows.map((row) => row.document_id);
}

/** Resets the attempts of the pair's documents that were fetched but could not be indexed. */
export async function sendFailedAgain(
  { db, documentAcceptor }: Pick<ConnectorServices, 'db' | 'documentAcceptor'>,
  pair: PairRow,
): Promise<void> {
  const ids = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: DocumentId }>`
    with failed as (
      select d.id, d.external_id from ${LINKED_DOCUMENTS}
      where d.status = 'failed' and l.cc_pair_id = ${pair.id} and l.seen_at is not null
        and not exists (select 1 from index_attempt_error e where e.cc_pair_id = ${pair.id}
          and e.document_id = d.external_id and e.stage = 'index' and not e.is_resolved
          and e.tries >= ${MAX_INDEX_TRIES})
      order by d.workspace_id, d.external_id limit ${MAX_INDEXED_AGAIN} for update of d skip locked
    ), counted as (
      update index_attempt_error e set tries = e.tries + 1 from failed f
      where e.cc_pair_id = ${pair.id} and e.document_id = f.external_id and e.stage = 'index'
        and not e.is_resolved
    )
    select id from failed`.execute(trx);
    const failed = rows.map(({ id }) => id);
    await retryDocuments(trx, failed);
    return failed;
  });
  await documentAcceptor.enqueue(ids, null);
}
