import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import { formatCount, formatSeconds, formatTable, plainLine } from './terminal.ts';

const documentCounts = z.object({ indexed: z.number(), pending: z.number(), failed: z.number() });

const pairSchema = z.object({
  cc_pair_id: z.number(),
  name: z.string(),
  connector: z.object({ source: z.string() }),
  cc_pair_status: z.string(),
  status_reason: z.string().nullable(),
  indexing: z.boolean(),
  docs: documentCounts,
  last_index_attempt_status: z.string().nullable(),
  next_run: z.string().nullable(),
});
export type Pair = z.output<typeof pairSchema>;

export const attemptSchema = z.object({
  id: z.number(),
  status: z.string(),
  fetched: z.number(),
  accepted: z.number(),
  created: z.number(),
  unchanged: z.number(),
  skipped: z.number(),
  skip_reasons: z.record(z.string(), z.number()),
  notes: z.record(z.string(), z.number()).default({}),
  failed: z.number(),
  removed: z.number(),
  error_msg: z.string().nullable(),
  checkpoint_description: z.string().nullable(),
  waiting_for: z.string().nullable(),
  waiting_until: z.string().nullable(),
  estimated_total: z.number().nullable(),
  documents_per_minute: z.number().nullable(),
  estimated_seconds_left: z.number().nullable(),
  time_finished: z.string().nullable(),
});
export type Attempt = z.output<typeof attemptSchema>;

const errorSchema = z.object({
  document_id: z.string().nullable(),
  entity_id: z.string().nullable(),
  failure_message: z.string(),
});

export interface PairReport {
  pair: Pair;
  last_run: Attempt | null;
  errors: z.output<typeof errorSchema>[];
  error_count: number;
}

const SHOWN_ERRORS = 5;

export async function listPairs(client: ApiClient): Promise<Pair[]> {
  return client.json('GET', '/manage/admin/connector/status', z.array(pairSchema));
}

export function toPairTable(pairs: readonly Pair[]): string {
  if (pairs.length === 0) return 'There are no connectors yet: "millrace connectors create".\n';
  return formatTable([
    ['Pair', 'Name', 'Source', 'Status', 'Last run', 'Indexed', 'Pending', 'Failed', 'Next run'],
    ...pairs.map((pair) =>
      [
        String(pair.cc_pair_id),
        pair.name,
        pair.connector.source,
        pair.cc_pair_status,
        pair.last_index_attempt_status ?? '-',
        formatCount(pair.docs.indexed),
        formatCount(pair.docs.pending),
        formatCount(pair.docs.failed),
        pair.next_run ?? '-',
      ].map(plainLine),
    ),
  ]);
}

export async function readPair(client: ApiClient, id: number): Promise<PairReport> {
  const path = `/manage/admin/cc-pair/${id}`;
  // The detail uses other field names than the listing; common fields are read under the listing's names.
  const detail = pairSchema
    .omit({ cc_pair_id: true, cc_pair_status: true })
    .extend({ id: z.number(), status: z.string() });
  const [{ id: cc_pair_id, status, ...pair }, last_run, errors] = await Promise.all([
    client.json('GET', path, detail),
    readLastAttempt(client, id),
    client.json(
      'GET',
      `${path}/errors?page_size=${SHOWN_ERRORS}`,
      z.object({ items: z.array(errorSchema), total_items: z.number() }),
    ),
  ]);
  return {
    pair: { ...pair, cc_pair_id, cc_pair_status: status },
    last_run,
    errors: errors.items,
    error_count: errors.total_items,
  };
}

export async function readLastAttempt(client: ApiClient, pair: number): Promise<Attempt | null> {
  const { items } = await client.json(
    'GET',
    `/manage/admin/cc-pair/${pair}/index-attempts?page_size=1`,
    z.object({ items: z.array(attemptSchema) }),
  );
  return items[0] ?? null;
}

export function describePair({ pair, last_run, errors, error_count }: PairReport): string {
  const { indexed, pending, failed } = pair.docs;
  const lines = [
    `${plainLine(pair.name)} (pair ${pair.cc_pair_id}, ${plainLine(pair.connector.source)}): ${pair.cc_pair_status}`,
    ...(pair.status_reason ? [`           ${plainLine(pair.status_reason)}`] : []),
    `Documents  ${formatCount(indexed)} indexed, ${formatCount(pending)} pending, ${formatCount(failed)} failed`,
    `Next run   ${pair.next_run ?? 'not planned'}`,
    `Last run   ${last_run ? describeAttempt(last_run) : 'none yet'}`,
    ...skipLines(last_run),
  ];
  if (error_count > 0) {
    lines.push(`Errors     ${formatCount(error_count)} open`);
    for (const { document_id, entity_id, failure_message } of errors) {
      lines.push(`  ${plainLine(`${document_id ?? entity_id ?? 'unknown'}: ${failure_message}`)}`);
    }
    if (error_count > errors.length) lines.push(`  … and ${error_count - errors.length} more`);
  }
  return `${lines.join('\n')}\n`;
}

/** Why documents were skipped, and how others were changed, the most frequent first. */
function skipLines(run: Attempt | null): string[] {
  const lines = (counts: Record<string, number>, word: string) =>
    Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([reason, count]) => `           ${formatCount(count)} ${word}: ${plainLine(reason)}`);
  return [...lines(run?.skip_reasons ?? {}, 'skipped'), ...lines(run?.notes ?? {}, 'noted')];
}

/** `success: 40 fetched = 12 accepted (10 new) + 28 unchanged + 0 skipped + 0 failed; 2 removed` */
export function describeAttempt(attempt: Attempt): string {
  const { status, fetched, accepted, created, unchanged, skipped, failed, removed } = attempt;
  const sums = `${formatCount(fetched)} fetched = ${formatCount(accepted)} accepted (${formatCount(created)} new) + ${formatCount(unchanged)} unchanged + ${formatCount(skipped)} skipped + ${formatCount(failed)} failed`;
  const gone = removed > 0 ? `; ${formatCount(removed)} removed` : '';
  const why = attempt.error_msg ? `. ${plainLine(attempt.error_msg)}` : '';
  return `${status}: ${sums}${gone}${why}`;
}

/** One line during a run: its progress, speed and remaining time. */
export function progressLine(attempt: Attempt): string {
  if (attempt.waiting_for) {
    const until = attempt.waiting_until ? `waiting until ${attempt.waiting_until}` : 'trying again';
    return `${until}: ${plainLine(attempt.waiting_for)}`;
  }
  const { estimated_total, documents_per_minute, estimated_seconds_left } = attempt;
  const total = estimated_total === null ? '' : ` of about ${formatCount(estimated_total)}`;
  const rate = documents_per_minute ? `, ${formatCount(Math.round(documents_per_minute))}/min` : '';
  const left = estimated_seconds_left
    ? `, about ${formatSeconds(estimated_seconds_left)} left`
    : '';
  const failed = attempt.failed > 0 ? `, ${formatCount(attempt.failed)} failed` : '';
  const place = attempt.checkpoint_description
    ? ` (${plainLine(attempt.checkpoint_description)})`
    : '';
  return `${formatCount(attempt.fetched)}${total} fetched${failed}${rate}${left}${place}`;
}
