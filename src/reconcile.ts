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
 * Sends jobs again for rows that are past due: the queue may have lost everything, the rows have
 * not. Sending one too many is harmless, since a job only says "look at these rows".
 * @returns how many documents were sent again
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
 * What one process does when it starts and knows that no other runs: every claim is that of a dead
 * worker, so nothing has to wait for a lease to end. The attempt counts: it may be what killed it.
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
