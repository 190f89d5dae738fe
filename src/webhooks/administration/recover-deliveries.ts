import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import { sendDeliveries } from '#src/webhooks/emit-event.ts';
import type { RecoveryRequest } from './endpoint-request.ts';
import { type EndpointAddress, assertEnabled } from './endpoints.ts';
import { countSlice, firstPosition, recoverSlice, type RecoveryWindow } from './recovery-slice.ts';

/** Limits one request to what it can finish; a repeated request continues where it stopped. */
const MAX_RECOVERED = 100_000;

export interface Recovery {
  matched: {
    /** Exhausted or canceled. */
    failed: number;
    /** Never created for the endpoint, because it was disabled or did not exist yet. */
    missing: number;
  };
  recovered: number;
}

/**
 * Counts what an endpoint has missed, then makes it due, oldest first. Recovered events no longer count as missed, so a
 * second recovery finds nothing.
 * @throws Problem NOT_FOUND, CONFLICT when the endpoint is disabled, BAD_REQUEST for its times
 */
export async function recoverDeliveries(
  services: WebhookServices,
  address: EndpointAddress,
  request: RecoveryRequest,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<Recovery> {
  const { db } = services;
  await db.transaction().execute((trx) => assertEnabled(trx, address));
  const window = await openWindow(services, address, request);
  const matched = await countMatches(db, window, signal);
  if (request.isDryRun) return { matched, recovered: 0 };
  let recovered = 0;
  for (let position = firstPosition(window); position !== null && recovered < MAX_RECOVERED;) {
    signal.throwIfAborted();
    const from = position;
    const slice = await db.transaction().execute(async (trx) => {
      await assertEnabled(trx, address);
      return recoverSlice(trx, window, from);
    });
    recovered += slice.recovered;
    position = slice.next;
    if (slice.recovered > 0) await sendDeliveries(services, [address.id], { requestId });
  }
  return { matched, recovered };
}

async function countMatches(
  db: Database,
  window: RecoveryWindow,
  signal: AbortSignal,
): Promise<Recovery['matched']> {
  const matched = { failed: 0, missing: 0 };
  for (let position = firstPosition(window); position !== null;) {
    signal.throwIfAborted();
    const from = position;
    const slice = await db.transaction().execute((trx) => countSlice(trx, window, from));
    matched.failed += slice.failed;
    matched.missing += slice.missing;
    position = slice.next;
  }
  return matched;
}

/** Fixes the end at the start, so that the recovery does not chase new events. */
async function openWindow(
  { db, config }: Pick<WebhookServices, 'db' | 'config'>,
  address: EndpointAddress,
  { since, until, eventTypes }: RecoveryRequest,
): Promise<RecoveryWindow> {
  const days = config.WEBHOOK_RETENTION_DAYS;
  const { rows } = await sql<{ now: Date; oldest: Date }>`
    select now() as now, now() - make_interval(days => ${days}::int) as oldest`.execute(db);
  const [clock] = rows;
  if (!clock) throw new Error('The database did not tell the time.');
  if (since > clock.now) throw wrongTime('since', 'must not lie in the future');
  if (until !== null && until <= since) throw wrongTime('until', 'must lie after since');
  const end = until === null || until > clock.now ? null : until;
  // Older events are not kept.
  const from = since < clock.oldest ? clock.oldest : since;
  return { ...address, since: from, until: end ?? clock.now, eventTypes };
}

function wrongTime(field: string, sentence: string): Problem {
  return new Problem('BAD_REQUEST', `body.${field}: ${sentence}.`);
}
