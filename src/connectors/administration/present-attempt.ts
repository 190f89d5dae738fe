import { z } from 'zod';
import { INDEX_ATTEMPT_STATUSES } from '#src/tables/connectors.ts';
import type { PruneRecord, RunErrorRecord, RunRecord } from './pair-attempts.ts';

const MS_PER_MINUTE = 60_000;
const timestamp = z.iso.datetime();
const maybe = timestamp.nullable();

const PRUNE_STATUSES = [
  'not_started',
  'in_progress',
  'success',
  'needs_confirmation',
  'failed',
  'canceled',
] as const;

/** The fields that existing clients know, and all counters. fetched = accepted + unchanged + skipped + failed. */
export const indexAttemptSchema = z
  .object({
    id: z.int(),
    status: z.enum(INDEX_ATTEMPT_STATUSES),
    from_beginning: z.boolean(),
    new_docs_indexed: z.int().describe('As `created`.'),
    total_docs_indexed: z.int().describe('`accepted` and `unchanged` together.'),
    docs_removed_from_index: z.int().describe('As `removed`.'),
    error_msg: z.string().nullable(),
    error_count: z.int().describe('Documents that failed at the source or in the index.'),
    full_exception_trace: z.string().nullable(),
    time_started: maybe,
    time_updated: timestamp,
    poll_range_start: maybe.describe('null: from the beginning.'),
    poll_range_end: timestamp,
    fetched: z.int().describe('accepted + unchanged + skipped + failed.'),
    accepted: z.int(),
    created: z.int().describe('Of those accepted, the ones that were not known before.'),
    unchanged: z.int(),
    skipped: z.int(),
    skip_reasons: z.record(z.string(), z.int()),
    notes: z
      .record(z.string(), z.int())
      .describe('What was changed about documents that were taken, with their number.'),
    failed: z.int(),
    removed: z.int(),
    pages: z.int(),
    checkpoint_description: z.string().nullable(),
    waiting_for: z
      .string()
      .nullable()
      .describe(
        'Why it waits. It stands until the run goes on, also while the source is being tried again.',
      ),
    waiting_until: maybe.describe('The next try; null while one is under way.'),
    estimated_total: z.int().nullable(),
    documents_per_minute: z.number().nullable(),
    estimated_seconds_left: z.int().nullable(),
    resumptions: z.int().describe('Times that another worker went on from the checkpoint.'),
    heartbeat: timestamp,
    time_created: timestamp,
    time_finished: maybe,
  })
  .meta({ id: 'IndexAttemptSnapshot' });

export function presentRun(run: RunRecord, now: Date): z.input<typeof indexAttemptSchema> {
  const rate = documentsPerMinute(run, now);
  const heartbeat = run.updated_at.toISOString();
  return {
    id: run.id,
    status: run.status,
    from_beginning: run.from_beginning,
    new_docs_indexed: run.created,
    total_docs_indexed: run.accepted + run.unchanged,
    docs_removed_from_index: run.removed,
    error_msg: run.error,
    error_count: run.error_count,
    full_exception_trace: null,
    time_started: iso(run.started_at),
    time_updated: heartbeat,
    poll_range_start: iso(run.poll_range_start),
    poll_range_end: run.poll_range_end.toISOString(),
    fetched: run.fetched,
    accepted: run.accepted,
    created: run.created,
    unchanged: run.unchanged,
    skipped: run.skipped,
    skip_reasons: run.skip_reasons,
    notes: run.notes,
    failed: run.failed,
    removed: run.removed,
    pages: run.pages,
    checkpoint_description: run.checkpoint_description,
    waiting_for: run.waiting_for,
    waiting_until: iso(run.next_attempt_at),
    estimated_total: run.estimated_total,
    documents_per_minute: rate,
    estimated_seconds_left: secondsLeft(run, rate),
    resumptions: run.resumptions,
    heartbeat,
    time_created: run.created_at.toISOString(),
    time_finished: iso(run.finished_at),
  };
}

/** Averaged over the whole run, waits included; null before it has begun. */
export function documentsPerMinute(
  run: Pick<RunRecord, 'fetched' | 'started_at' | 'finished_at'>,
  now: Date,
): number | null {
  if (run.started_at === null) return null;
  const elapsedMs = (run.finished_at ?? now).getTime() - run.started_at.getTime();
  return elapsedMs <= 0 ? null : round((run.fetched * MS_PER_MINUTE) / elapsedMs);
}

/** Null when the source does not report a total, or nothing has been fetched yet. */
function secondsLeft(
  run: Pick<RunRecord, 'status' | 'estimated_total' | 'fetched'>,
  perMinute: number | null,
): number | null {
  if (run.status !== 'in_progress' || run.estimated_total === null || !perMinute) return null;
  return Math.ceil((Math.max(0, run.estimated_total - run.fetched) / perMinute) * 60);
}

export const indexAttemptErrorSchema = z
  .object({
    id: z.int(),
    connector_credential_pair_id: z.int(),
    index_attempt_id: z.int(),
    stage: z.enum(['fetch', 'index']).describe('Where it failed: at the source or in the index.'),
    document_id: z.string().nullable(),
    document_link: z.string().nullable(),
    entity_id: z.string().nullable().describe('What failed when it is no document: a folder, say.'),
    failed_time_range_start: maybe,
    failed_time_range_end: maybe,
    failure_message: z.string(),
    tries: z.int().describe('Runs in which it failed.'),
    is_resolved: z.boolean(),
    time_created: timestamp,
    time_resolved: maybe,
  })
  .meta({ id: 'IndexAttemptError' });

export function presentRunError(error: RunErrorRecord): z.input<typeof indexAttemptErrorSchema> {
  return {
    id: error.id,
    connector_credential_pair_id: error.cc_pair_id,
    index_attempt_id: error.index_attempt_id,
    stage: error.stage,
    document_id: error.document_id,
    document_link: error.document_link,
    entity_id: error.entity_id,
    failed_time_range_start: iso(error.failed_from),
    failed_time_range_end: iso(error.failed_until),
    failure_message: error.message,
    tries: error.tries,
    is_resolved: error.is_resolved,
    time_created: error.created_at.toISOString(),
    time_resolved: iso(error.resolved_at),
  };
}

export const pruneAttemptSchema = z
  .object({
    id: z.int(),
    status: z
      .enum(PRUNE_STATUSES)
      .describe('needs_confirmation: more than half would go; see `error_msg`.'),
    known: z.int().describe('Documents of the pair that came from its source.'),
    listed: z.int().describe('Ids that the source listed.'),
    gone: z.int().describe('Known and no longer listed.'),
    removed: z.int(),
    error_msg: z.string().nullable(),
    waiting_until: maybe.describe('The next try; null while one is under way.'),
    time_created: timestamp,
    time_started: maybe,
    time_finished: maybe,
  })
  .meta({ id: 'PruneAttemptSnapshot' });

export function presentPrune(prune: PruneRecord): z.input<typeof pruneAttemptSchema> {
  return {
    id: prune.id,
    status: prune.status,
    known: prune.known,
    listed: prune.listed,
    gone: prune.gone,
    removed: prune.removed,
    error_msg: prune.error,
    waiting_until: iso(prune.next_attempt_at),
    time_created: prune.created_at.toISOString(),
    time_started: iso(prune.started_at),
    time_finished: iso(prune.finished_at),
  };
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
