import { retryUserFile } from '#src/chat/user-files/retry-user-file.ts';
import { retryPrune, retryRun } from '#src/connectors/runs/retry-run.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import type { DocumentServices } from '#src/documents/document-services.ts';
import { retryFailedDocuments } from '#src/documents/retry-failed-documents.ts';
import type {
  DocumentId,
  LeadScrapeId,
  UserFileId,
  WebhookDeliveryId,
  WorkspaceId,
} from '#src/ids.ts';
import { retryScrape } from '#src/leads/scrapes/retry-scrape.ts';
import { Problem } from '#src/platform/errors.ts';
import type { FailedRow } from '#src/platform/work-figures.ts';
import { resendDelivery } from '#src/webhooks/administration/resend-delivery.ts';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import { type Operator, recordAction } from './audit.ts';
import {
  countChosen,
  type FailingQueue,
  type FailureChoice,
  isFailingQueue,
  listFailures,
} from './failures.ts';

/** Bounds what one request does; the answer says how many are left. */
export const MAX_RETRIED = 10_000;
const ROWS_PER_STEP = 256;
const MAX_REASONS = 10;

type RetryServices = Pick<ConnectorServices, 'clock'> &
  Pick<DocumentServices, 'documentAcceptor'> &
  WebhookServices;

export interface RetryOutcome {
  retried: number;
  skipped: number;
  left: number;
  whySkipped: string[];
}

/** Why failures of a queue cannot be retried, in a sentence; null when they can. */
export function whyNotRetryable(queue: string): string | null {
  switch (queue) {
    case 'email-send':
      return 'The content of a message is deleted once it is finished: its sender has to send it again.';
    case 'email-verify':
      return 'A verification is asked for again by whoever owns the sender account.';
    case 'connector-delete':
      return 'A deletion is tried again by itself until it succeeds.';
  }
  return isFailingQueue(queue)
    ? null
    : 'A scheduled queue retries at its next run. To run it now, use Schedules.';
}

/**
 * Retries failures, oldest first, and writes the audit log before the first of them.
 * @param expected how many the operator has seen
 * @throws Problem CONFLICT when there are more by now, or when they cannot be retried
 */
export async function retryFailures(
  services: RetryServices,
  operator: Operator,
  order: { queue: string; choice: FailureChoice; expected: number; limit: number },
): Promise<RetryOutcome> {
  const { queue, choice, expected, limit } = order;
  const refusal = whyNotRetryable(queue);
  if (refusal !== null || !isFailingQueue(queue)) {
    throw new Problem('CONFLICT', refusal ?? 'Failures of this queue cannot be retried.');
  }
  const present = await countChosen(services.db, queue, choice);
  if (present > expected) {
    throw new Problem(
      'CONFLICT',
      `There are now ${present} such failures, more than the ${expected} that you saw. Review them again, then retry with count ${present}.`,
    );
  }
  // Those that have come since the count are younger, and so not among the first.
  const wanted = Math.min(limit, expected, MAX_RETRIED);
  const rows = await listFailures(services.db, queue, choice, {
    order: 'asc',
    limit: wanted,
    offset: 0,
  });
  await recordAction(services.db, operator, {
    action: 'failures.retry',
    queue,
    detail: { group: choice.group, id: choice.id, rows: rows.length, seen: expected },
  });
  const outcome: RetryOutcome = {
    retried: 0,
    skipped: 0,
    left: Math.max(0, present - rows.length),
    whySkipped: [],
  };
  for (let done = 0; done < rows.length; done += ROWS_PER_STEP) {
    await retryStep(services, operator, queue, rows.slice(done, done + ROWS_PER_STEP), outcome);
  }
  return outcome;
}

async function retryStep(
  services: RetryServices,
  operator: Operator,
  queue: FailingQueue,
  rows: readonly FailedRow[],
  outcome: RetryOutcome,
): Promise<void> {
  if (queue === 'document-index') {
    const ids = rows.map(({ id }) => Number(id) as DocumentId); // read from the column of this brand
    const retried = await retryFailedDocuments(services, ids, operator.requestId);
    outcome.retried += retried;
    skip(outcome, rows.length - retried, 'Somebody else has retried or changed it.');
    return;
  }
  for (const row of rows) {
    const why = await retryRow(services, operator, queue, row).catch((error: unknown) => {
      if (error instanceof Problem) return error.message;
      throw error;
    });
    if (why === null) outcome.retried += 1;
    else skip(outcome, 1, why);
  }
}

/** @returns why it was not retried, or null */
async function retryRow(
  services: RetryServices,
  { requestId }: Operator,
  queue: Exclude<FailingQueue, 'document-index'>,
  row: FailedRow,
): Promise<string | null> {
  // Each id was read from the column of its brand.
  const { id } = row;
  const handled = 'Somebody else has retried or changed it.';
  switch (queue) {
    case 'connector-sync':
      return (await retryRun(services, id, requestId))
        ? null
        : 'A later run has taken the place of this one.';
    case 'connector-prune':
      return (await retryPrune(services, id, requestId))
        ? null
        : 'A later prune has taken the place of this one.';
    case 'lead-scrape':
      return (await retryScrape(services, id as LeadScrapeId, requestId)) ? null : handled;
    case 'user-file':
      return (await retryUserFile(services, id as UserFileId, requestId)) ? null : handled;
    case 'webhook-deliver':
      await resendDelivery(
        services,
        { workspaceId: row.workspace_id as WorkspaceId, id: Number(id) as WebhookDeliveryId },
        requestId,
        { onlyExhausted: true },
      );
      return null;
    case 'email-send':
    case 'email-verify':
      return whyNotRetryable(queue);
  }
}

function skip(outcome: RetryOutcome, count: number, reason: string): void {
  if (count === 0) return;
  outcome.skipped += count;
  if (outcome.whySkipped.length < MAX_REASONS && !outcome.whySkipped.includes(reason)) {
    outcome.whySkipped.push(reason);
  }
}
