import type { WebhookEvent } from '#src/webhooks/emit-event.ts';

/** Repeated to make a body of about 500 bytes. */
const ERROR = 'The source did not answer in time, and the run will be repeated. '.repeat(2);

/** The event that every delivery of the bench carries. */
export function benchEvent(): WebhookEvent {
  const now = new Date().toISOString();
  return {
    type: 'connector.sync.failed',
    data: {
      cc_pair_id: 1,
      name: 'Bench',
      source: 'web',
      index_attempt_id: 1,
      documents_fetched: 100,
      documents_accepted: 50,
      documents_unchanged: 49,
      documents_skipped: 0,
      documents_failed: 1,
      started_at: now,
      finished_at: now,
      error: ERROR,
      paused: false,
    },
  };
}

/** The envelope of a delivery, as `emitEvents` writes it. */
export function webhookBody(id: string): string {
  const { type, data } = benchEvent();
  return JSON.stringify({ id, type, timestamp: new Date().toISOString(), data });
}
