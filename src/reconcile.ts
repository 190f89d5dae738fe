import { bouncePoll } from '#queues/bounce-poll.ts';
import { documentIndex } from '#queues/document-index.ts';
import { leadScrape } from '#queues/lead-scrape.ts';
import { userFile } from '#queues/user-file.ts';
import { webhookDeliver } from '#queues/webhook-deliver.ts';
import { settleLapsedPlans } from './billing/settle-plan.ts';
import { recoverRuns } from './chat/runs/sweep-runs.ts';
import { reconcileUserFiles, recoverUserFiles } from './chat/user-files/reconcile-user-files.ts';
import { reconcileConnectors, recoverConnectors } from './connectors/runs/reconcile-connectors.ts';
import { takeBackClaims } from './documents/claim-documents.ts';
import { fillTitles } from './documents/fill-titles.ts';
import { reconcileDocuments, sendUnfinished } from './documents/reconcile-documents.ts';
import { reconcilePolls, recoverPolls } from './email/bounces/send-polls.ts';
import { reconcileMessages, recoverMessages } from './email/reconcile-messages.ts';
import { reconcileScrapes, recoverScrapes } from './leads/scrapes/reconcile-scrapes.ts';
import { recordRepairs } from './operations/repairs.ts';
import type { Services } from './services.ts';
import { reconcileWebhooks, recoverWebhooks } from './webhooks/reconcile-webhooks.ts';

type ReconcileServices = Pick<Services, 'clock' | 'config' | 'db' | 'log' | 'producer'>;

/**
 * Re-sends jobs for overdue rows: the queue may have lost everything, but the rows remain. An extra job is harmless,
 * because a job only says "look at these rows".
 * @returns the number of documents re-sent
 */
export async function reconcile(services: ReconcileServices, signal: AbortSignal): Promise<number> {
  const documents = await reconcileDocuments(services, signal);
  const pairs = await reconcileConnectors(services, signal);
  signal.throwIfAborted();
  const { clock, config } = services;
  await recordRepairs(services.db, clock(), {
    [documentIndex.name]: documents,
    ...pairs,
    [webhookDeliver.name]: await reconcileWebhooks(services),
    [leadScrape.name]: await reconcileScrapes(services),
    ...(await reconcileMessages(services)),
    [bouncePoll.name]: await reconcilePolls(services),
    [userFile.name]: await reconcileUserFiles(services),
  });
  await fillTitles(services.db, signal);
  await settleLapsedPlans(services.db, { now: clock(), graceDays: config.PAYMENT_GRACE_DAYS });
  return documents;
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
  await recoverPolls(services);
  await recoverUserFiles(services);
  await recoverRuns(services);
}
