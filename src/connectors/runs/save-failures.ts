import { sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { ConnectorFailure } from '#src/connectors/source/connector.ts';
import type { PairRow } from './open-pair.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** One open failure per document or entity: a repeated failure increments its tries. */
export async function saveFailures(
  trx: DatabaseTransaction,
  { pair, id, poll_range_start, poll_range_end }: ClaimedRun,
  failures: ConnectorFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const input = JSON.stringify(lastPerThing(failures.map(toRow)));
  await sql`
    with input as materialized (
      select * from json_to_recordset(${input}::json)
        as x(document_id text, entity_id text, link text, message text)
    ), repeated as (
      update index_attempt_error e set tries = e.tries + 1, message = i.message,
        index_attempt_id = ${id}
      from input i
      where e.cc_pair_id = ${pair.id} and not e.is_resolved and e.stage = 'fetch'
        and coalesce(e.document_id, '') = coalesce(i.document_id, '')
        and coalesce(e.entity_id, '') = coalesce(i.entity_id, '')
        and coalesce(e.document_id, e.entity_id) is not null
      returning i.document_id, i.entity_id
    )
    insert into index_attempt_error (workspace_id, cc_pair_id, index_attempt_id, stage,
      document_id, document_link, entity_id, failed_from, failed_until, message)
    select ${pair.workspace_id}::uuid, ${pair.id}::int, ${id}::int, 'fetch', i.document_id, i.link,
      i.entity_id, ${poll_range_start}::timestamptz, ${poll_range_end}::timestamptz, i.message
    from input i where not exists (select 1 from repeated r
      where coalesce(r.document_id, '') = coalesce(i.document_id, '')
        and coalesce(r.entity_id, '') = coalesce(i.entity_id, ''))`.execute(trx);
}

/** Resolves the pair's open failures of these documents. */
export async function resolveFailures(
  trx: DatabaseTransaction,
  { id }: Pick<PairRow, 'id'>,
  externalIds: string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await sql`update index_attempt_error set is_resolved = true, resolved_at = now()
    where cc_pair_id = ${id} and not is_resolved and stage = 'fetch'
      and document_id = any(${externalIds}::text[])`.execute(trx);
}

interface FailureRow {
  document_id: string | null;
  entity_id: string | null;
  link: string | null;
  message: string;
}

function toRow({ documentId, entityId, link, reason }: ConnectorFailure): FailureRow {
  return {
    document_id: cleanOrNull(documentId),
    entity_id: cleanOrNull(entityId),
    link: cleanOrNull(link),
    message: cleanText(reason.slice(0, MAX_MESSAGE_LENGTH)),
  };
}

/** The last failure of each thing counts. Failures without a name are all kept. */
function lastPerThing(rows: FailureRow[]): FailureRow[] {
  const last = new Map<unknown, FailureRow>();
  for (const row of rows) {
    const named = row.document_id !== null || row.entity_id !== null;
    last.set(named ? JSON.stringify([row.document_id, row.entity_id]) : row, row);
  }
  return [...last.values()];
}

function cleanOrNull(text: string | null): string | null {
  return text === null || text === '' ? null : cleanText(text);
}
