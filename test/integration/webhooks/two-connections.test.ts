// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookDeliveryId, WebhookEndpointId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';
import { changeEndpoint } from '#src/webhooks/administration/change-endpoint.ts';
import { resendDelivery } from '#src/webhooks/administration/resend-delivery.ts';
import { emitEvents, type EventToEmit } from '#src/webhooks/emit-event.ts';
import { reconcileWebhooks } from '#src/webhooks/reconcile-webhooks.ts';
import { NEVER } from '#test/support/email-rows.ts';
import { afterWaiting, openImpatientServices, whileLocked } from '#test/support/two-connections.ts';
import { deliveriesTo, insertEndpoint, writePings } from '#test/support/webhook-rows.ts';

const databaseUrl = process.env['TEST_DATABASE_URL'];

describe.skipIf(databaseUrl === undefined)('two at once (needs TEST_DATABASE_URL)', () => {
  let stage: Awaited<ReturnType<typeof openImpatientServices>>;
  let services: Services;
  beforeAll(async () => {
    stage = await openImpatientServices();
    ({ services } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  async function endpointWithTwo(): Promise<WebhookEndpointId> {
    // A public address, so that no name is looked up; nothing is sent to it.
    const url = `https://93.184.216.34/${randomUUID()}`;
    const { id } = await insertEndpoint(services, stage.workspaceId, url);
    await writePings(services, stage.workspaceId, id, 2);
    return id;
  }
  const firstOf = async (endpointId: WebhookEndpointId): Promise<WebhookDeliveryId> => {
    const { id } = await services.db
      .selectFrom('webhook_delivery')
      .select('id')
      .where('webhook_endpoint_id', '=', endpointId)
      .orderBy('id')
      .limit(1)
      .executeTakeFirstOrThrow();
    return id;
  };
  const lockDelivery = (id: WebhookDeliveryId) => (trx: Services['db']) =>
    sql`select 1 from webhook_delivery where id = ${id} for update`.execute(trx);

  it('an endpoint that was moved meanwhile and is moved back begins without failures', async () => {
    const id = await endpointWithTwo();
    const { url } = await services.db
      .selectFrom('webhook_endpoint')
      .select('url')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const changed = await afterWaiting(
      services.db,
      (trx) =>
        sql`update webhook_endpoint set url = 'https://example.com/', failures = 3
          where id = ${id}`.execute(trx),
      () => changeEndpoint(services, { workspaceId: stage.workspaceId, id }, { url }, NEVER),
    );
    expect(changed).toMatchObject({ url, failures: 0 });
  });

  it('a delivery that a worker holds is not sent again', async () => {
    const endpoint = await endpointWithTwo();
    const id = await firstOf(endpoint);
    await sql`update webhook_delivery set status = 'delivered', next_attempt_at = null
      where id = ${id}`.execute(services.db);
    const address = { workspaceId: stage.workspaceId, id };
    const resend = () => resendDelivery(services, address, 'request-of-a-test');
    await whileLocked(services.db, lockDelivery(id), () =>
      expect(resend()).rejects.toThrow(/being sent just now/),
    );
    expect(await resend()).toMatchObject({ status: 'pending' });
  });

  it('an event that is emitted twice is delivered once', async () => {
    const { workspaceId } = stage;
    const url = `https://93.184.216.34/${randomUUID()}`;
    const { id: onlyTo } = await insertEndpoint(services, workspaceId, url);
    const event: EventToEmit = {
      type: 'ping',
      data: { endpoint_id: onlyTo, message: 'Hello' },
      workspaceId,
      at: new Date(),
      onlyTo,
      dedupeKey: randomUUID(),
    };
    const toDeliver = await afterWaiting(
      services.db,
      (trx) => emitEvents(trx, [event]),
      () => services.db.transaction().execute((trx) => emitEvents(trx, [event])),
    );
    expect(toDeliver).toEqual([]);
  });

  it('what was left to a disabled endpoint is canceled, except the delivery that a worker holds', async () => {
    const endpoint = await endpointWithTwo();
    await sql`update webhook_endpoint set enabled = false where id = ${endpoint}`.execute(
      services.db,
    );
    await whileLocked(services.db, lockDelivery(await firstOf(endpoint)), () =>
      reconcileWebhooks(services),
    );
    const statuses = (await deliveriesTo(services, endpoint)).map(({ status }) => status);
    expect(statuses).toEqual(['pending', 'canceled']);
  });
});
