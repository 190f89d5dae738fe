import { sql } from 'kysely';
import { expect } from 'vitest';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { emitEvents, type EventToEmit, type WebhookEvent } from '#src/webhooks/emit-event.ts';
import type { Answer } from './api-client.ts';
import { startTestMillrace, type TestMillrace } from './test-millrace.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** A URL that passes every check; no test ever connects to it. */
export const PUBLIC_URL = 'https://93.184.216.34/hook';

/** A Millrace, and a receiver on this machine that its webhooks may reach. */
export interface WebhookStage extends AsyncDisposable {
  readonly millrace: TestMillrace;
  readonly receiver: WebhookReceiver;
  openTenant(): Promise<WebhookTenant>;
}

/** A new workspace and the actions of a test in it. */
export interface WebhookTenant {
  readonly workspaceId: WorkspaceId;
  call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Creates an endpoint with these fields and returns the API's answer, including its secret. */
  createEndpoint: (fields?: object) => Promise<NewEndpoint>;
  /** Keeps anything from being sent to the endpoint, whatever is due. */
  silence: (id: string) => Promise<void>;
  silentEndpoint: (fields?: object) => Promise<string>;
  /**
   * Writes events of the same moment or, with `minutesAgo`, that long ago and a millisecond apart; no worker is woken.
   */
  emit: (events: readonly WebhookEvent[], minutesAgo?: number) => Promise<void>;
}

export interface NewEndpoint {
  id: string;
  secret: string;
  updated_at: string;
}

export async function startWebhookStage(
  overrides: Record<string, string> = {},
): Promise<WebhookStage> {
  await using opened = new AsyncDisposableStack();
  const receiver = opened.use(await startReceiver());
  const millrace = opened.use(
    await startTestMillrace({
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_PER_MINUTE: '100000',
      ...overrides,
    }),
  );
  const resources = opened.move();
  return {
    millrace,
    receiver,
    openTenant: () => openTenant(millrace),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function openTenant(millrace: TestMillrace): Promise<WebhookTenant> {
  const { db } = millrace.services;
  const made = await millrace.createWorkspace();
  const workspaceId = made.workspaceId as WorkspaceId; // created above
  const call: WebhookTenant['call'] = (method, path, body) =>
    millrace.call(method, path, body, { key: made.key });
  const silence = async (id: string): Promise<void> => {
    await sql`update webhook_endpoint set breaker_until = now() + interval '1 day'
      where id = ${id}`.execute(db);
  };
  const createEndpoint = async (fields: object = {}): Promise<NewEndpoint> => {
    const { status, body } = await call('POST', '/webhook-endpoints', {
      url: PUBLIC_URL,
      ...fields,
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body;
  };
  return {
    workspaceId,
    call,
    createEndpoint,
    silence,
    async silentEndpoint(fields) {
      const { id } = await createEndpoint(fields);
      await silence(id);
      return id;
    },
    emit: (events, minutesAgo) =>
      writeEvents(db, { workspaceId, events, minutesAgo: minutesAgo ?? null }),
  };
}

async function writeEvents(
  db: Database,
  {
    workspaceId,
    events,
    minutesAgo,
  }: { workspaceId: WorkspaceId; events: readonly WebhookEvent[]; minutesAgo: number | null },
): Promise<void> {
  const at = new Date();
  await db.transaction().execute(async (trx) => {
    const owned = events.map((event): EventToEmit => ({ ...event, workspaceId, at }));
    await emitEvents(trx, owned);
    if (minutesAgo === null) return;
    // The events of this transaction; no test writes the same data twice.
    await sql`update webhook_event e
      set created_at = now() - make_interval(mins => ${minutesAgo}::int)
        + n.place * interval '1 millisecond'
      from unnest(${events.map(({ data }) => JSON.stringify(data))}::text[])
        with ordinality as n(data, place)
      where e.workspace_id = ${workspaceId} and e.created_at = now()
        and (e.payload::json->'data')::text = n.data`.execute(trx);
  });
}

export function scraped(name: string): WebhookEvent {
  const data = { scrape_id: name, status: 'done', total_results: 0, processing_time_ms: 0 };
  return { type: 'lead_scrape.completed', data };
}

export function indexed(name: string): WebhookEvent {
  const document = { document_id: name, semantic_identifier: name, source: 'x', chunk_count: 1 };
  return { type: 'document.indexed', data: { documents: [document], count: 1 } };
}

export function verified(email: string): WebhookEvent {
  return { type: 'email_account.verified', data: { email_account_id: 'account', email } };
}

export interface NamedDelivery {
  name: string;
  status: string;
  round: number;
}

/** The deliveries to an endpoint in the order in which they are due, with the names given to their events above. */
export async function namedDeliveries(db: Database, endpointId: string): Promise<NamedDelivery[]> {
  const { rows } = await sql<NamedDelivery>`
    select d.status, d.round, coalesce(e.payload::json->'data'->>'scrape_id',
      e.payload::json->'data'->'documents'->0->>'document_id',
      e.payload::json->'data'->>'email', '') as name
    from webhook_delivery d join webhook_event e on e.id = d.webhook_event_id
    where d.webhook_endpoint_id = ${endpointId} order by d.next_attempt_at, d.id`.execute(db);
  return rows;
}
