import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createWorkspace } from '#src/accounts/workspaces.ts';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import { emitEvents, type EventToEmit, sendDeliveries } from '#src/webhooks/emit-event.ts';
import type { Services } from '#src/services.ts';
import { insertEndpoint } from '#test/support/emitted-events.ts';
import { openTestServices } from '#test/support/test-services.ts';
import { until } from '#test/support/until.ts';
import { startWorkers } from '#workers/index.ts';
import { benchEvent } from './webhook-events.ts';

/** Events per commit. */
const EMIT_BATCH = 100;
/** Number of concurrent emitters. */
const EMITTERS = 4;
const DRAIN_TIMEOUT_MS = 180_000;
const POLL_MS = 50;
const STOP_TIMEOUT_MS = 5_000;

/** A Millrace that delivers: services and workers in this process, over an empty store. */
export interface WebhookLoad extends AsyncDisposable {
  readonly services: Services;
  /** Each endpoint has its own workspace, so that every delivery has its own event. */
  readonly endpoints: readonly LoadedEndpoint[];
  /** Starts delivering what is due. */
  startWorkers(): Promise<void>;
}

interface LoadedEndpoint {
  id: WebhookEndpointId;
  workspaceId: WorkspaceId;
}

export async function openWebhookLoad(urls: readonly string[]): Promise<WebhookLoad> {
  await using opened = new AsyncDisposableStack();
  const test = opened.use(await openTestServices());
  // Delays are real in this bench.
  const services: Services = {
    ...test.services,
    clock: () => new Date(),
    wait: async (ms, signal) => sleep(ms, undefined, { signal }),
  };
  const endpoints: LoadedEndpoint[] = [];
  for (const [index, url] of urls.entries()) {
    const name = `Bench ${index}`;
    const { workspaceId } = await createWorkspace(services.db, { name, planTier: 'Enterprise' });
    endpoints.push({ workspaceId, id: await insertEndpoint(services, { workspaceId, url }) });
  }
  const resources = opened.move();
  return {
    services,
    endpoints,
    async startWorkers() {
      const workers = await startWorkers(services, ['webhook-deliver', 'reconcile']);
      resources.defer(() => workers.close(STOP_TIMEOUT_MS));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Writes the events of one commit and enqueues their jobs. @returns the result of `afterCommit`, called right after the
 * commit
 */
export async function emitTo<T>(
  services: Services,
  endpoints: readonly LoadedEndpoint[],
  options: { dedupeKey?: string; afterCommit: () => T },
): Promise<T> {
  const { dedupeKey } = options;
  const events = endpoints.map(({ workspaceId }): EventToEmit => ({
    ...benchEvent(),
    workspaceId,
    at: new Date(),
    ...(dedupeKey !== undefined && { dedupeKey }),
  }));
  const toDeliver = await services.db.transaction().execute((trx) => emitEvents(trx, events));
  const committed = options.afterCommit();
  await sendDeliveries(services, toDeliver);
  return committed;
}

/** Emits `deliveries` events, cycling through the endpoints. */
export async function emitAll(
  { services, endpoints }: WebhookLoad,
  deliveries: number,
): Promise<void> {
  let next = 0;
  const emitter = async (): Promise<void> => {
    while (next < deliveries) {
      const first = next;
      next = Math.min(first + EMIT_BATCH, deliveries);
      const batch = Array.from({ length: next - first }, (_, n) => {
        return endpoints[(first + n) % endpoints.length];
      });
      await emitTo(
        services,
        batch.filter((endpoint) => endpoint !== undefined),
        { afterCommit: () => null },
      );
      // The embedded database answers without yielding to the event loop; a real emitter would not monopolize it.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: EMITTERS }, emitter));
}

/** @returns the seconds that `work` took */
export async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

/** @throws with the counts when the deadline passes */
export async function untilDelivered(
  { db }: Services,
  blackHole: WebhookEndpointId | null,
): Promise<void> {
  const hole = blackHole ?? '00000000-0000-0000-0000-000000000000';
  await until(
    async () => {
      const { rows } = await sql`select 1 from webhook_delivery
        where status <> 'delivered' and webhook_endpoint_id <> ${hole} limit 1`.execute(db);
      return rows.length === 0;
    },
    DRAIN_TIMEOUT_MS,
    POLL_MS,
  ).catch(async (error: unknown) => {
    const { rows } = await sql`select status, count(*)::int as deliveries
      from webhook_delivery group by status`.execute(db);
    throw new Error(`Webhooks are missing: ${JSON.stringify(rows)}`, { cause: error });
  });
}

/** Counts from the ledger, over all endpoints but the black hole. */
export interface LedgerCounts {
  deliveries: number;
  delivered: number;
  /** Recorded attempts. */
  attempts: number;
  successes: number;
}

export async function countLedger(
  { db }: Services,
  blackHole: WebhookEndpointId | null,
): Promise<LedgerCounts> {
  const hole = blackHole ?? '00000000-0000-0000-0000-000000000000';
  const { rows } = await sql<LedgerCounts>`
    with wanted as (select id, status from webhook_delivery where webhook_endpoint_id <> ${hole}),
    tried as (select a.outcome from webhook_attempt a join wanted on a.webhook_delivery_id = wanted.id)
    select (select count(*)::int from wanted) as deliveries,
      (select count(*)::int from wanted where status = 'delivered') as delivered,
      (select count(*)::int from tried) as attempts,
      (select count(*)::int from tried where outcome = 'delivered') as successes`.execute(db);
  const [counts] = rows;
  if (!counts) throw new Error('A select without a table returned no row.');
  return counts;
}
