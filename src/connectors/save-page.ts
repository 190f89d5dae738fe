import { sql } from 'kysely';
import { documentsOfPair, dropDocuments } from '#src/documents/drop-documents.ts';
import type { DocumentId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { ConnectorFailure, ConnectorPage } from './connector.ts';

/** What became of the documents of one page. */
export interface PageOutcome {
  /** Ids that were written, of which `created` were not known before. */
  accepted: string[];
  created: number;
  unchanged: string[];
  skipped: ConnectorPage<unknown>['skipped'];
  failures: ConnectorFailure[];
  removed: string[];
}

type PageFacts = Pick<ConnectorPage<unknown>, 'memory' | 'description' | 'estimatedTotal'>;

const MAX_REASON_LENGTH = 500;
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Saves counts, failures, memory and checkpoint of a page in one transaction: a run that is taken up again repeats at
 * most the page that was under way.
 * @returns documents that are marked for deletion, to be sent to the index workers
 * @throws LeaseLost when the run was canceled or another worker has it
 */
export async function savePage(
  db: Database,
  run: ClaimedRun,
  outcome: PageOutcome,
  page: PageFacts,
  {
    checkpoint,
    mayRepeat,
    now,
  }: {
    /** Undefined keeps the one that is saved. */
    checkpoint: { value: unknown } | undefined;
    /** The first page since the claim: an earlier worker may have accepted it without saving it. */
    mayRepeat: boolean;
    now: Date;
  },
): Promise<DocumentId[]> {
  return db.transaction().execute(async (trx) => {
    const gone = await documentsOfPair(trx, run.pair.id, outcome.removed);
    const { marked, left } = await dropDocuments(trx, run.pair.id, gone);
    if (mayRepeat) await countRepeated(trx, run, outcome);
    await saveCounts(trx, run, outcome, left, page, checkpoint, now);
    await saveSeen(trx, run, [...outcome.accepted, ...outcome.unchanged], now);
    await saveMemory(trx, run, page.memory);
    await saveFailures(trx, run, outcome.failures);
    await resolveFailures(trx, run, mended(outcome));
    return marked;
  });
}

/**
 * A worker that was interrupted may have accepted the documents of its last page without counting them. Now they look
 * unchanged; as nobody has seen them in this pair yet, they are this run's.
 */
async function countRepeated(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  outcome: PageOutcome,
): Promise<void> {
  if (outcome.unchanged.length === 0) return;
  const { rows } = await sql<{ external_id: string }>`
    select d.external_id from document d join document_cc_pair l on l.document_id = d.id
    where d.workspace_id = ${pair.workspace_id} and l.cc_pair_id = ${pair.id}
      and d.external_id = any(${outcome.unchanged}::text[]) and l.seen_at is null`.execute(trx);
  const repeated = new Set(rows.map((row) => row.external_id));
  outcome.unchanged = outcome.unchanged.filter((id) => !repeated.has(id));
  outcome.accepted.push(...repeated);
  outcome.created += repeated.size;
}

async function saveCounts(
  trx: DatabaseTransaction,
  run: ClaimedRun,
  outcome: PageOutcome,
  removed: number,
  page: PageFacts,
  checkpoint: { value: unknown } | undefined,
  now: Date,
): Promise<void> {
  const { accepted, created, unchanged, skipped, failures } = outcome;
  const fetched = accepted.length + unchanged.length + skipped.length + failures.length;
  const reasons = JSON.stringify(skipped.map(({ reason }) => reason.slice(0, MAX_REASON_LENGTH)));
  const { rows } = await sql`
    update index_attempt set pages = pages + 1, fetched = fetched + ${fetched},
      accepted = accepted + ${accepted.length}, created = created + ${created},
      unchanged = unchanged + ${unchanged.length}, skipped = skipped + ${skipped.length},
      failed = failed + ${failures.length}, removed = removed + ${removed},
      skip_reasons = (select coalesce(json_object_agg(reason, n), '{}') from (
        select reason, sum(n)::int as n from (
          select key as reason, value::int as n from json_each_text(skip_reasons)
          union all select value, 1 from json_array_elements_text(${reasons}::json)) counted
        group by reason) summed),
      checkpoint = ${checkpoint === undefined ? sql`checkpoint` : sql`${JSON.stringify(checkpoint.value)}::json`},
      checkpoint_description = ${page.description},
      estimated_total = coalesce(${page.estimatedTotal}::int, estimated_total),
      outages = 0, updated_at = ${now}
    where id = ${run.id} and claim_token = ${run.token} and status = 'in_progress'
    returning id`.execute(trx);
  if (rows.length === 0) throw new LeaseLost('The run was canceled or taken over.');
}

/** Pruning leaves alone what was seen after its listing began. */
async function saveSeen(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  externalIds: string[],
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

async function saveMemory(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  memory: ConnectorPage<unknown>['memory'],
): Promise<void> {
  // One statement cannot write a row twice: the last entry of a key counts.
  const last = [...new Map(memory.map((entry) => [entry.key, entry])).values()];
  if (last.length === 0) return;
  await sql`
    insert into connector_memory (cc_pair_id, key, document_id, value)
    select ${pair.id}, key, "documentId", value
    from json_to_recordset(${JSON.stringify(last)}::json)
      as x(key text, "documentId" text, value json)
    on conflict (cc_pair_id, key) do update
      set document_id = excluded.document_id, value = excluded.value`.execute(trx);
}

/** One open failure per document or entity: what fails again counts a try more. */
async function saveFailures(
  trx: DatabaseTransaction,
  { pair, id, poll_range_start, poll_range_end }: ClaimedRun,
  failures: ConnectorFailure[],
): Promise<void> {
  for (const { documentId, link, entityId, reason } of failures) {
    const message = reason.slice(0, MAX_MESSAGE_LENGTH);
    const { rows } = await sql`
      update index_attempt_error set tries = tries + 1, message = ${message},
        index_attempt_id = ${id}
      where cc_pair_id = ${pair.id} and not is_resolved and stage = 'fetch'
        and document_id is not distinct from ${documentId}
        and entity_id is not distinct from ${entityId}
        and coalesce(document_id, entity_id) is not null
      returning id`.execute(trx);
    if (rows.length > 0) continue;
    await sql`
      insert into index_attempt_error (workspace_id, cc_pair_id, index_attempt_id, stage,
        document_id, document_link, entity_id, failed_from, failed_until, message)
      values (${pair.workspace_id}, ${pair.id}, ${id}, 'fetch', ${documentId}, ${link},
        ${entityId}, ${poll_range_start}, ${poll_range_end}, ${message})`.execute(trx);
  }
}

function mended({ accepted, unchanged, skipped, removed }: PageOutcome): string[] {
  const passed = skipped.flatMap(({ documentId }) => documentId ?? []);
  return [...accepted, ...unchanged, ...passed, ...removed];
}

async function resolveFailures(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  externalIds: string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await sql`update index_attempt_error set is_resolved = true, resolved_at = now()
    where cc_pair_id = ${pair.id} and not is_resolved and stage = 'fetch'
      and document_id = any(${externalIds}::text[])`.execute(trx);
}
