import { createHash } from 'node:crypto';
import { formatCount, formatSeconds, plainLine } from './terminal.ts';

export interface Failure {
  label: string;
  reason: string;
}

/** What happened to each document of a run; memory is bounded regardless of their number. */
export interface IngestTally {
  readonly accepted: number;
  readonly failed: number;
  /** Accepted, updated, skipped or failed: everything that is settled. */
  readonly finished: number;
  acceptedAs(documentId: string, alreadyExisted: boolean): void;
  skippedFinished(): void;
  skippedKind(): void;
  fail(failure: Failure): void;
  /** Counts an accepted document that could not be indexed. */
  failIndexing(failure: Failure): void;
  /** Whether this run sent the document (by hash: one false positive in 10^8 documents). */
  sent(documentId: string): boolean;
  summary(): Record<string, unknown>;
  sentence(): string;
  /** Empty when nothing failed. */
  failureList(): string;
}

/** Failures beyond this number are counted but not shown. */
const MAX_KEPT_FAILURES = 1_000;
/** The hash bytes that fit a JavaScript number exactly. */
const FINGERPRINT_BYTES = 6;

export function openTally(nowMs: () => number = () => performance.now()): IngestTally {
  const startedMs = nowMs();
  const counts = { accepted: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  const failures: Failure[] = [];
  const sentIds = new Set<number>();
  const fail = (failure: Failure): void => {
    counts.failed += 1;
    if (failures.length < MAX_KEPT_FAILURES) failures.push(failure);
  };
  const seconds = (): number => (nowMs() - startedMs) / 1000;
  return {
    get accepted() {
      return counts.accepted;
    },
    get failed() {
      return counts.failed;
    },
    get finished() {
      return counts.accepted + counts.unchanged + counts.skipped + counts.failed;
    },
    acceptedAs(documentId, alreadyExisted) {
      counts.accepted += 1;
      if (alreadyExisted) counts.updated += 1;
      sentIds.add(fingerprint(documentId));
    },
    skippedFinished() {
      counts.unchanged += 1;
    },
    skippedKind() {
      counts.skipped += 1;
    },
    fail,
    failIndexing(failure) {
      counts.accepted -= 1;
      fail(failure);
    },
    sent: (documentId) => sentIds.has(fingerprint(documentId)),
    summary: () => ({
      accepted: counts.accepted,
      updated: counts.updated,
      finished_before: counts.unchanged,
      skipped: counts.skipped,
      failed: counts.failed,
      seconds: Math.round(seconds() * 1000) / 1000,
      failures,
    }),
    sentence: () => toSentence(counts, seconds()),
    failureList: () => (failures.length === 0 ? '' : toList(failures, counts.failed)),
  };
}

function fingerprint(documentId: string): number {
  return createHash('sha1').update(documentId).digest().readUIntBE(0, FINGERPRINT_BYTES);
}

function toSentence(
  counts: Record<'accepted' | 'updated' | 'unchanged' | 'skipped' | 'failed', number>,
  seconds: number,
): string {
  const updated = counts.updated > 0 ? ` (${formatCount(counts.updated)} existed already)` : '';
  const parts = [`${formatCount(counts.accepted)} accepted${updated}`];
  if (counts.unchanged > 0) parts.push(`${formatCount(counts.unchanged)} finished before`);
  if (counts.skipped > 0) parts.push(`${formatCount(counts.skipped)} skipped (not documents)`);
  if (counts.failed > 0) parts.push(`${formatCount(counts.failed)} failed`);
  return `${parts.join(', ')} in ${formatSeconds(seconds)}.`;
}

function toList(failures: Failure[], total: number): string {
  const lines = failures.map(({ label, reason }) => {
    const name = plainLine(label);
    const why = plainLine(reason);
    return why.startsWith(name) ? `  ${why}` : `  ${name}: ${why}`;
  });
  const more = total - failures.length;
  if (more > 0) lines.push(`  and ${formatCount(more)} more`);
  return `Failed:\n${lines.join('\n')}\n`;
}
