import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Services } from '#src/services.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from '#src/webhooks/event-types.ts';
import { makeSecret } from '#src/webhooks/sign.ts';

/** An event as stored for its receivers. */
export interface EmittedEvent {
  id: string;
  type: string;
  timestamp: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test asserts of it is its check
  data: any;
  /** The endpoints it is sent to. */
  endpoints: string[];
}

const envelope = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPE_NAMES),
  timestamp: z.iso.datetime(),
  data: z.unknown(),
});

/** Inserts a webhook endpoint without checking its URL. */
export async function insertEndpoint(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  endpoint: {
    workspaceId: WorkspaceId;
    eventTypes?: readonly string[] | null;
    url?: string;
    secret?: string;
  },
): Promise<WebhookEndpointId> {
  // A new row gets its branded id here.
  const id = randomUUID() as WebhookEndpointId;
  const secret = secrets.seal(endpoint.secret ?? makeSecret(), `webhook_endpoint:${id}`);
  await sql`insert into webhook_endpoint (id, workspace_id, url, event_types, secret)
    values (${id}, ${endpoint.workspaceId}, ${endpoint.url ?? 'https://receiver.test/hook'},
      ${endpoint.eventTypes ?? null}::text[], ${secret})`.execute(db);
  return id;
}

/** The workspace's events in the order of creation, each validated against the shape of its type. */
export async function emittedEvents(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<EmittedEvent[]> {
  const { rows } = await sql<{ payload: string; endpoints: string[] }>`
    select e.payload, array(select d.webhook_endpoint_id::text from webhook_delivery d
      where d.webhook_event_id = e.id order by 1) as endpoints
    from webhook_event e where e.workspace_id = ${workspaceId}
    order by e.created_at, e.id`.execute(db);
  return rows.map(({ payload, endpoints }) => {
    const event = envelope.parse(JSON.parse(payload));
    const data = EVENT_TYPES[event.type].data.strict().parse(event.data);
    return { ...event, data, endpoints };
  });
}
