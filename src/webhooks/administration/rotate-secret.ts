import { sql } from 'kysely';
import type { WebhookServices } from '#src/webhooks/webhook-services.ts';
import { makeSecret } from '#src/webhooks/sign.ts';
import { CHANGED_NOW, type EndpointAddress, sealedFor } from './endpoints.ts';
import { unknownEndpoint } from './path-ids.ts';

export interface Rotation {
  /** Shown only this once. */
  secret: string;
  /** Until then the previous secret signs too; null when it ended at once. */
  previousSecretValidUntil: Date | null;
}

/**
 * Gives an endpoint a new secret. There is at most one previous secret: a rotation within the grace period of another
 * drops the oldest.
 * @throws Problem NOT_FOUND
 */
export async function rotateSecret(
  { db, secrets }: Pick<WebhookServices, 'db' | 'secrets'>,
  { workspaceId, id }: EndpointAddress,
  { gracePeriodSeconds }: { gracePeriodSeconds: number },
): Promise<Rotation> {
  const secret = makeSecret();
  const hasGrace = gracePeriodSeconds > 0;
  const { rows } = await sql<{ until: Date | null }>`
    update webhook_endpoint set secret = ${secrets.seal(secret, sealedFor(id))},
      previous_secret = case when ${hasGrace}::boolean then secret end,
      previous_secret_until = case when ${hasGrace}::boolean
        then now() + make_interval(secs => ${gracePeriodSeconds}::int) end,
      updated_at = ${CHANGED_NOW}
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
    returning previous_secret_until as until`.execute(db);
  const [rotated] = rows;
  if (!rotated) throw unknownEndpoint(id);
  return { secret, previousSecretValidUntil: rotated.until };
}
