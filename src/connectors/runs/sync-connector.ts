import { connectorSync } from '#queues/connector-sync.ts';
import type { CcPairId, IndexAttemptId } from '#src/ids.ts';
import { keepLease, LeaseLost } from '#src/platform/keep-lease.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import { acceptPage, BacklogFull } from './accept-page.ts';
import { claimRun, type ClaimedRun, releaseRun, renewRun } from './claim-run.ts';
import type { PollContext } from '#src/connectors/source/connector.ts';
import { connectorContext } from '#src/connectors/source/connector-context.ts';
import { endRun, failRun, type FinishedRun } from './finish-run.ts';
import { type OpenPair, openPair } from './open-pair.ts';
import { MAX_OUTAGES, outageDelayMs, requestedDelayMs } from './outage-delay.ts';
import { allPages, nextPage, type NumberedPage } from './run-pages.ts';
import { DocumentsRemoved, savePage } from './save-page.ts';
import { othersWait, sendSync } from './send-jobs.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';

/** After this long a run yields its place to waiting pairs, and continues when its turn comes again. */
const SLICE_MS = 15_000;
/**
 * Pruning almost never comes between a page's acceptance and its saving; twice for the same page is enough allowance.
 */
const MAX_ACCEPTS = 3;
/** When the source keeps asking to wait, the run fails after this long without a page. */
const LONGEST_SILENCE_MS = 24 * 60 * 60_000;
/** Well below the queue's own time limit for a job. */
const LONGEST_SLICE_MS = 8 * 60_000;

export type SyncServices = Pick<
  ConnectorServices,
  | 'clock'
  | 'config'
  | 'db'
  | 'documentAcceptor'
  | 'files'
  | 'http'
  | 'log'
  | 'parsers'
  | 'producer'
  | 'renderer'
  | 'secrets'
  | 'wait'
>;

/**
 * Advances a pair's run: from its checkpoint to the end of the poll, or until other pairs wait for the place. For
 * each page: fetch, accept, save the checkpoint. Does nothing when no run is due or another worker holds it.
 * @returns the outcome, for the log
 * @throws the signal's reason, or an error that keeps the database from being written; the run then continues
 * elsewhere
 */
export async function syncConnector(
  services: SyncServices,
  ccPairId: CcPairId,
  signal: AbortSignal,
): Promise<SliceFacts> {
  const run = await claimRun(services, ccPairId);
  if (!run) return { ccPairId, run: null, end: 'nothing to do' };
  const facts = { ccPairId, run: run.id };
  if (run.outages > MAX_OUTAGES) {
    const reason = `The run was abandoned: ${run.outages} times in a row, its worker was lost or its source was down.`;
    const now = services.clock();
    await notify(services, run, await failRun(services.db, run, reason, { pause: false, now }));
    return { ...facts, end: 'failed' };
  }
  using lease = keepLease(() => renewRun(services.db, run));
  const both = AbortSignal.any([signal, lease.signal]);
  try {
    return { ...facts, end: await settle(services, run, await pollPages(services, run, both)) };
  } catch (error) {
    if (error instanceof LeaseLost || lease.signal.aborted) return { ...facts, end: 'canceled' };
    // The process is stopping: another worker may continue at once.
    if (signal.aborted && !isTimeout(signal))
      await releaseRun(services.db, run).catch(() => undefined);
    else await waitOrFail(services, run, ownFault(error)).catch(() => undefined);
    throw error;
  }
}

/** The job's time was up before a page came; the next job may fare no better. */
export function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'JobTimeout';
}

/** An error on our side is retried like an outage, so that it cannot hold a run forever. */
function ownFault(error: unknown): SourceUnavailable {
  const words = error instanceof Error ? error.message : String(error);
  return new SourceUnavailable(`Millrace could not continue: ${words}`, { cause: error });
}

/** For the log: the outcome of a pair's run in this job. */
interface SliceFacts {
  ccPairId: CcPairId;
  run: IndexAttemptId | null;
  end: 'nothing to do' | 'yielded' | 'waiting' | 'ended' | 'failed' | 'paused' | 'canceled';
}

type SliceEnd =
  | { kind: 'end'; refetchesSingly: boolean }
  | { kind: 'yield' }
  | { kind: 'wait'; error: SourceUnavailable }
  | { kind: 'fail'; error: Error };

async function pollPages(
  services: SyncServices,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<SliceEnd> {
  const startedAt = performance.now();
  let mayRepeat = true;
  const opened = tryOpen(services, run);
  if (opened instanceof Error) return endOf(opened);
  const context: PollContext = {
    ...connectorContext(services, {
      workspaceId: run.pair.workspace_id,
      connector: opened.connector,
      ccPairId: run.pair.id,
      signal,
    }),
    since: run.poll_range_start,
    until: run.poll_range_end,
  };
  const pages = allPages(services, run, opened, context)[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await nextPage(pages, signal);
      if (next instanceof Error) return endOf(next);
      if (next.done) {
        return { kind: 'end', refetchesSingly: opened.connector.fetchAgain !== undefined };
      }
      await acceptAndSave(services, run, next.value, { signal, mayRepeat });
      mayRepeat = false;
      if (await shouldYield(services, performance.now() - startedAt)) return { kind: 'yield' };
    }
  } catch (error) {
    if (error instanceof BacklogFull) return { kind: 'wait', error };
    throw error;
  } finally {
    // A poll that ignores its signal must not delay the run, so its cleanup is not awaited.
    pages.return?.(undefined).catch(() => undefined);
  }
}

async function acceptAndSave(
  services: SyncServices,
  run: ClaimedRun,
  { page, checkpoint }: NumberedPage,
  { signal, mayRepeat }: { signal: AbortSignal; mayRepeat: boolean },
): Promise<void> {
  for (let accepts = 1; ; accepts += 1) {
    const outcome = await acceptPage(services, run.pair, page, { signal, wait: services.wait });
    const saved = {
      checkpoint,
      mayRepeat: mayRepeat || accepts > 1,
      now: services.clock(),
    };
    try {
      const marked = await savePage(services.db, run, outcome, page, saved);
      await services.documentAcceptor.enqueue(marked, null);
      return;
    } catch (error) {
      if (!(error instanceof DocumentsRemoved) || accepts === MAX_ACCEPTS) throw error;
    }
  }
}

function tryOpen(services: SyncServices, run: ClaimedRun): (OpenPair & { from: unknown }) | Error {
  try {
    const opened = openPair(services, run.pair);
    if (run.checkpoint === null) return { ...opened, from: null };
    const checkpoint = opened.connector.checkpoint.safeParse(run.checkpoint);
    // The checkpoint of an older version: what was fetched before is found unchanged.
    return { ...opened, from: checkpoint.success ? checkpoint.data : null };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function endOf(error: Error): SliceEnd {
  return error instanceof SourceUnavailable ? { kind: 'wait', error } : { kind: 'fail', error };
}

async function shouldYield(services: SyncServices, elapsedMs: number): Promise<boolean> {
  if (elapsedMs > LONGEST_SLICE_MS) return true;
  return elapsedMs >= SLICE_MS && othersWait(services, connectorSync);
}

async function settle(
  services: SyncServices,
  run: ClaimedRun,
  end: SliceEnd,
): Promise<SliceFacts['end']> {
  const { db, clock } = services;
  switch (end.kind) {
    case 'yield':
      await releaseRun(db, run);
      await sendSync(services, run.pair.id);
      return 'yielded';
    case 'wait':
      return waitOrFail(services, run, end.error);
    case 'end':
      await notify(services, run, await endRun(db, run, clock(), end.refetchesSingly));
      return 'ended';
    case 'fail': {
      const pause = end.error instanceof CredentialRejected;
      const reason = failureMessage(end.error);
      await notify(services, run, await failRun(db, run, reason, { pause, now: clock() }));
      return pause ? 'paused' : 'failed';
    }
  }
}

/** The source may be down for long: after hours without a page the run fails, and the next one tries again. */
async function waitOrFail(
  services: SyncServices,
  run: ClaimedRun,
  error: SourceUnavailable,
): Promise<'waiting' | 'failed'> {
  const { db, clock } = services;
  const isOutage = !(error instanceof BacklogFull) && error.retryAfterMs === null;
  const { outages, silentSince } = await readSilence(services, run);
  const silentMs = clock().getTime() - silentSince.getTime();
  if ((isOutage && outages >= MAX_OUTAGES) || silentMs > LONGEST_SILENCE_MS) {
    const reason = `No page came for ${Math.round(silentMs / 60_000)} minutes. ${error.message}`;
    await notify(services, run, await failRun(db, run, reason, { pause: false, now: clock() }));
    return 'failed';
  }
  const delayMs = requestedDelayMs(error.retryAfterMs) ?? outageDelayMs(outages);
  const at = new Date(clock().getTime() + delayMs);
  await releaseRun(db, run, { at, reason: error.message, isOutage });
  await sendSync(services, run.pair.id, at);
  return 'waiting';
}

/** A page saved since the claim has reset the outages to 0. */
async function readSilence(
  { db, clock }: SyncServices,
  { id }: ClaimedRun,
): Promise<{ outages: number; silentSince: Date }> {
  const row = await db
    .selectFrom('index_attempt')
    .select(['outages', 'last_page_at', 'started_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  return {
    outages: row?.outages ?? 0,
    silentSince: row?.last_page_at ?? row?.started_at ?? clock(),
  };
}

/** After the commit: workers get the next run, and webhooks are told about this one. */
async function notify(
  services: SyncServices,
  { pair }: ClaimedRun,
  { next, toDeliver }: FinishedRun,
): Promise<void> {
  if (next) await sendSync(services, pair.id, next);
  await sendDeliveries(services, toDeliver);
}

function failureMessage(error: Error): string {
  if (error instanceof CredentialRejected) {
    return `The source does not accept the credential: ${error.message} Update the credential, then resume the pair.`;
  }
  if (error instanceof SourceRefused) return error.message;
  return `The connector failed: ${error.message}`;
}
