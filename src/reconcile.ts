import { settleLapsedPlans } from './billing/settle-plan.ts';
import { recoverRuns } from './chat/runs/sweep-runs.ts';
import { reconcileUserFiles, recoverUserFiles } from './chat/user-files/reconcile-user-files.ts';
import { reconcileConnectors, recoverConnectors } from './connectors/runs/reconcile-connectors.ts';
import { takeBackClaims } from './documents/claim-documents.ts';
import { reconcileDocuments, sendUnfinished } from './documents/reconcile-documents.ts';
import { reconcileMessages, recoverMessages } from './email/reconcile-messages.ts';
import { reconcileScrapes, recoverScrapes } from './leads/scrapes/reconcile-scrapes.ts';
import type { Services } from './services.ts';
import { reconcileWebhooks, recoverWebhooks } from './webhooks/reconcile-webhooks.ts';

type ReconcileServices = Pick<Services, 'clock' | 'config' | 'db' | 'log' | 'producer'>;

/**
 * Re-sends jobs for overdue rows: the queue may have lost everything, but the rows remain. An extra job is harmless,
 * because a job only says "look at these rows".
 * @returns the number of documents re-sent
 */
export async function reconcile(services: ReconcileServices, signal: AbortSignal): Promise<number> {
  const sent = await reconcileDocuments(services, signal);
  await reconcileConnectors(services, signal);
  signal.throwIfAborted();
  await reconcileWebhooks(services);
  await reconcileScrapes(services);
  await reconcileMessages(services);
  await reconcileUserFiles(services);
  const { clock, config } = services;
  await settleLapsedPlans(services.db, { now: clock(), graceDays: config.PAYMENT_GRACE_DAYS });
  return sent;
}

/**
 * For a process that starts and knows that no other runs: every claim is that of a dead worker, so no lease has to
 * expire first. The interrupted attempt counts, because it may have killed the worker.
 */
export async function recoverAfterCrash(services: ReconcileServices): Promise<void> {
  await takeBackClaims(services.db, 'all');
  await sendUnfinished(services, new AbortController().signal, 0);
  await recoverConnectors(services);
  await recoverWebhooks(services);
  await recoverScrapes(services);
  await recoverMessages(services);
  await recoverUserFiles(services);
  await recoverRuns(services);
}
