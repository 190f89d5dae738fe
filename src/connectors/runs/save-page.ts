import { type RawBuilder, sql } from 'kysely';
import { cleanText } from '#src/documents/clean-text.ts';
import { documentsOfPair, dropDocuments } from '#src/documents/drop-documents.ts';
import { markSeen } from '#src/documents/mark-seen.ts';
import { countPresent, LINKED_DOCUMENTS } from '#src/documents/documents-of-pair.ts';
import type { DocumentId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { LeaseLost } from '#src/platform/keep-lease.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { ConnectorPage } from '#src/connectors/source/connector.ts';
import { lockPair } from './open-pair.ts';
import { resolveFailures, saveFailures } from './save-failures.ts';

/** The outcome for the documents of one page. */
export interface PageOutcome {
  /** Ids that were written; `created` of them were new. */
  accepted: string[];
  created: number;
  unchanged: string[];
  skipped: ConnectorPage<unknown>['skipped'];
  /** What was changed in accepted documents: for each change, a short sentence without names or numbers. */
  notes: string[];
  failures: ConnectorPage<unknown>['failures'];
  removed: string[];
  /** Ids passed to ingestion: accepted, or found unchanged there. */
  stored: string[];
}

/** Documents of the page were removed after it was accepted and before it was saved: it must be accepted again. */
export class DocumentsRemoved extends Error {
  override readonly name = 'DocumentsRemoved';
}

type PageFacts = Pick<ConnectorPage<unknown>, 'memory' | 'description' | 'estimatedTotal'>;

const MAX_REASON_LENGTH = 500;
/** The most frequent ones are kept, in case a source gives every document a reason of its own. */
const MAX_REASONS = 100;
const MAX_INTEGER = 2_147_483_647;

/**
 * Saves counts, failures, memory and checkpoint of a page in one transaction, so that a resumed run repeats at most
 * the page in progress.
 * @returns documents marked for deletion, to be sent to the index workers
 * @throws LeaseLost when the run was canceled or another worker has it, or DocumentsRemoved
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
    /** Undefined keeps the saved checkpoint. */
    checkpoint: { value: unknown } | undefined;
    /** The first page since the claim: an earlier worker may have accepted it without saving it. */
    mayRepeat: boolean;
    now: Date;
  },
): Promise<DocumentId[]> {
  return db.transaction().execute(async (trx) => {
    await lockPair(trx, run.pair.id);
    const gone = await documentsOfPair(trx, run.pair.id, outcome.removed);
    const { marked, left } = await dropDocuments(trx, run.pair.id, gone);
    if (mayRepeat) await countRepeated(trx, run, outcome);
    await saveCounts(trx, run, outcome, left, page, checkpoint, now);
    await markSeen(trx, run.pair, [...outcome.accepted, ...outcome.unchanged], now);
    await assertStored(trx, run, outcome.stored);
    await saveMemory(trx, run, heldMemory(page.memory, outcome));
    await saveFailures(trx, run, outcome.failures);
    await resolveFailures(trx, run.pair, mended(outcome));
    return marked;
  });
}

/**
 * An interrupted worker may have accepted the documents of its last page without counting them, so they look
 * unchanged now. Those written since this run began, but not seen by it yet, are credited to this run.
 */
async function countRepeated(
  trx: DatabaseTransaction,
  { id, pair }: ClaimedRun,
  outcome: PageOutcome,
): Promise<void> {
  if (outcome.unchanged.length === 0) return;
  const { rows } = await sql<{ external_id: string; created: boolean }>`
    select d.external_id, d.created_at >= a.created_at as created
    from ${LINKED_DOCUMENTS}
    join index_attempt a on a.cc_pair_id = l.cc_pair_id and a.workspace_id = d.workspace_id
      and d.accepted_at >= a.created_at and (l.seen_at is null or l.seen_at < a.started_at)
    where a.id = ${id} and d.workspace_id = ${pair.workspace_id}
      and d.external_id = any(${outcome.unchanged}::text[])`.execute(trx);
  const repeated = new Set(rows.map((row) => row.external_id));
  outcome.unchanged = outcome.unchanged.filter((one) => !repeated.has(one));
  outcome.accepted.push(...repeated);
  outcome.created += rows.filter(({ created }) => created).length;
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
  const { accepted, created, unchanged, skipped, notes, failures } = outcome;
  const fetched = accepted.length + unchanged.length + skipped.length + failures.length;
  const reasons = skipped.map(({ reason }) => cleanText(reason.slice(0, MAX_REASON_LENGTH)));
  const { rows } = await sql`
    update index_attempt set pages = pages + 1, fetched = fetched + ${fetched},
      accepted = accepted + ${accepted.length}, created = created + ${created},
      unchanged = unchanged + ${unchanged.length}, skipped = skipped + ${skipped.length},
      failed = failed + ${failures.length}, removed = removed + ${removed},
      skip_reasons = ${countedWith(sql`skip_reasons`, reasons)},
      notes = ${countedWith(sql`notes`, notes)},
      checkpoint = ${checkpoint === undefined ? sql`checkpoint` : sql`${JSON.stringify(checkpoint.value)}::json`},
      checkpoint_description = ${cleanText(page.description)},
      estimated_total = coalesce(${wholeNumber(page.estimatedTotal)}::int, estimated_total),
      outages = 0, waiting_for = null, updated_at = ${now}, last_page_at = ${now}
    where id = ${run.id} and claim_token = ${run.token} and status = 'in_progress'
    returning id`.execute(trx);
  if (rows.length === 0) throw new LeaseLost('The run was canceled or taken over.');
}

/** Adds these reasons to the counts in a column of reason → number. */
function countedWith(column: RawBuilder<unknown>, reasons: string[]): RawBuilder<unknown> {
  return sql`(select coalesce(json_object_agg(reason, n), '{}') from (
    select reason, sum(n)::int as n from (
      select key as reason, value::int as n from json_each_text(${column})
      union all select value, 1 from json_array_elements_text(${JSON.stringify(reasons)}::json)) counted
    group by reason order by n desc limit ${MAX_REASONS}) summed)`;
}

/** A source may report a number that does not fit the column. */
function wholeNumber(value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  return Math.min(Math.max(0, Math.round(value)), MAX_INTEGER);
}

/**
 * A prune or another deletion may have happened in between. From here on it waits for this transaction, or sees that
 * the documents have been seen.
 */
async function assertStored(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  stored: string[],
): Promise<void> {
  if (stored.length === 0) return;
  if ((await countPresent(trx, pair, stored)) < new Set(stored).size) {
    throw new DocumentsRemoved('Documents of the page were removed while it was being saved.');
  }
}

/** Memory of a document that was not stored would hide the document from the next run. */
function heldMemory(
  memory: ConnectorPage<unknown>['memory'],
  { failures }: PageOutcome,
): ConnectorPage<unknown>['memory'] {
  const failed = new Set(failures.map(({ documentId }) => documentId));
  return memory.filter(({ documentId }) => documentId === null || !failed.has(documentId));
}

async function saveMemory(
  trx: DatabaseTransaction,
  { pair }: ClaimedRun,
  memory: ConnectorPage<unknown>['memory'],
): Promise<void> {
  // One statement cannot write a row twice: the last entry of each key counts.
  const last = [...new Map(memory.map((entry) => [entry.key, entry])).values()];
  if (last.length === 0) return;
  await sql`
    insert into connector_memory (cc_pair_id, key, document_id, value, lasting)
    select ${pair.id}, key, nullif(document_id, ''), value::json, lasting
    from unnest(${last.map(({ key }) => cleanText(key))}::text[],
      ${last.map(({ documentId }) => cleanText(documentId ?? ''))}::text[],
      ${last.map(({ value }) => JSON.stringify(value))}::text[],
      ${last.map(({ lasting }) => lasting === true)}::boolean[]) as x(key, document_id, value, lasting)
    on conflict (cc_pair_id, key) do update
      set document_id = excluded.document_id, value = excluded.value,
        lasting = excluded.lasting`.execute(trx);
}

function mended({ accepted, unchanged, skipped, removed }: PageOutcome): string[] {
  const passed = skipped.flatMap(({ documentId }) => documentId ?? []);
  return [...accepted, ...unchanged, ...passed, ...removed];
}
