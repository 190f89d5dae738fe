import { sql } from 'kysely';
import type { WebhookDeliveryId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';

/** Makes claimed but unsent deliveries due again. */
export async function releaseUnsent(
  db: Database,
  token: string,
  ids: readonly WebhookDeliveryId[],
): Promise<void> {
  await sql`
    update webhook_delivery set claim_token = null,
      status = case when attempts = 0 then 'pending' else 'waiting' end
    where id = any(${ids}::bigint[]) and claim_token = ${token} and status = 'delivering'`.execute(
    db,
  );
}
