import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { lockWorkspace } from '#src/accounts/lock-workspace.ts';
import type { WebhookEndpointId, WorkspaceId } from '#src/ids.ts';
import type { DatabaseTransaction } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import { makeSecret } from '#src/webhooks/sign.ts';
import { vetEndpointUrl } from '#src/webhooks/vet-endpoint-url.ts';
import type { NewEndpoint } from './endpoint-request.ts';
import { ENDPOINT, type EndpointRecord, sealedFor } from './endpoints.ts';

/** Every event of a workspace makes one delivery per endpoint. */
const MAX_ENDPOINTS = 50;

export const DISABLED_BY_OWNER = 'An administrator has switched it off.';

/**
 * Creates an endpoint. Its secret is returned here and never again.
 * @throws Problem BAD_REQUEST for its URL, CONFLICT when the workspace has reached its limit
 */
export async function createEndpoint(
  { db, secrets, webhookHttp }: WebhookServices,
  workspaceId: WorkspaceId,
  request: NewEndpoint,
  signal: AbortSignal,
): Promise<{ endpoint: EndpointRecord; secret: string }> {
  const url = await vetEndpointUrl(webhookHttp.guard, request.url, signal);
  const id = randomUUID() as WebhookEndpointId; // a new row's id is branded where it is made
  const secret = makeSecret();
  const sealed = secrets.seal(secret, sealedFor(id));
  const endpoint = await db.transaction().execute(async (trx) => {
    await assertRoom(trx, workspaceId);
    const enabled = request.enabled ?? true;
    const { rows } = await sql<EndpointRecord>`
      insert into webhook_endpoint (id, workspace_id, url, description, event_types, rate_limit,
        enabled, disabled_reason, disabled_at, secret)
      values (${id}, ${workspaceId}, ${url}, ${request.description ?? ''},
        ${request.event_types ?? null}::text[], ${request.rate_limit ?? null}, ${enabled},
        ${enabled ? null : DISABLED_BY_OWNER}, ${enabled ? null : sql`now()`}, ${sealed})
      returning ${ENDPOINT}`.execute(trx);
    const [made] = rows;
    if (!made) throw new Error('An insert into webhook_endpoint returned no row.');
    return made;
  });
  return { endpoint, secret };
}

/** The lock on the workspace makes concurrent calls count one after another. */
async function assertRoom(trx: DatabaseTransaction, workspaceId: WorkspaceId): Promise<void> {
  await lockWorkspace(trx, workspaceId);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from webhook_endpoint
    where workspace_id = ${workspaceId} and deleted_at is null`.execute(trx);
  if ((rows[0]?.n ?? 0) < MAX_ENDPOINTS) return;
  throw new Problem(
    'CONFLICT',
    `The workspace has ${MAX_ENDPOINTS} webhook endpoints, which is the limit. Delete one that is no longer needed (DELETE /webhook-endpoints/{id}), or change one.`,
  );
}
