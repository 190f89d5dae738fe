// @module-tag smoke
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  eventFixture,
  itemsFixture,
  postEvent,
  priceFixture,
  sessionFixture,
  signatureOf,
  START,
  subscriptionFixture,
  WEBHOOK_SECRET,
} from '#test/support/stripe-fixtures.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const NEXT_SECRET = 'whsec_the_next_one';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({
    STRIPE_WEBHOOK_SECRET: `${WEBHOOK_SECRET}, ${NEXT_SECRET}`,
    LOG_LEVEL: 'silent',
  });
});
afterAll(() => millrace[Symbol.asyncDispose]());

type Json = Record<string, unknown>;

const db = () => millrace.services.db;
const post = (type: string, object: Json, options: Parameters<typeof eventFixture>[2] = {}) =>
  postEvent(millrace, eventFixture(type, object, options));
const free = () => millrace.createWorkspace('Free');
/** Reads the row, because keys are cached with their plan for some seconds. */
const planOf = async (workspaceId: string) => {
  const { rows } = await sql<{ plan: string }>`
    select plan_tier as plan from workspace where id = ${workspaceId}`.execute(
    millrace.services.db,
  );
  return rows[0]?.plan;
};
const subscriptionRow = (id: string) =>
  db().selectFrom('stripe_subscription').selectAll().where('id', '=', id).executeTakeFirst();
const recorded = async (id: string) =>
  (await db().selectFrom('stripe_event').select('id').where('id', '=', id).execute()).length;
const webhooksOf = async (workspaceId: string) => {
  const rows = await db().selectFrom('webhook_event').selectAll().execute();
  return rows
    .filter((row) => row.workspace_id === workspaceId)
    .map(({ type, payload }) => ({ type, ...JSON.parse(payload ?? '') }));
};

describe('a request that Stripe has not signed', () => {
  const event = eventFixture('checkout.session.completed', sessionFixture('cs_forged'));
  const body = JSON.stringify(event);
  const hours = (n: number) => Date.now() - n * 3_600_000;

  it.each<[string, string]>([
    ['no signature', ''],
    ['nonsense', 'certainly'],
    ['another secret', signatureOf(body, 'whsec_of_somebody_else')],
    ['an old signature', signatureOf(body, WEBHOOK_SECRET, hours(1))],
    ['a signature of another body', signatureOf(`${body} `)],
    ['a signature without a time', signatureOf(body).replace(/^t=\d+,/, '')],
    ['a signature of version 0', signatureOf(body).replace('v1=', 'v0=')],
  ])('with %s is refused and changes nothing', async (_, signature) => {
    const answer = await postEvent(millrace, event, { signature });
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.text).not.toContain('whsec_');
    expect(await recorded(event.id)).toBe(0);
  });

  it('is refused before it is read when it is larger than any event', async () => {
    const answer = await postEvent(millrace, { ...event, more: 'x'.repeat(1_100_000) });
    expect(answer.status).toBe(413);
  });
});

describe('a signed request that is not an event', () => {
  const event = eventFixture('checkout.session.completed', sessionFixture('cs_unreadable'));

  it.each<[string, string, string]>([
    ['is not JSON', '{"id":', 'is not JSON'],
    ['is not an object', '["id"]', 'not a JSON object'],
    ['has no id and no type', '{"hello":"world"}', 'id is missing, type is missing'],
    ['has no type', JSON.stringify({ ...event, type: undefined }), 'type is missing'],
    ['is from the far future', JSON.stringify({ ...event, created: 1e18 }), 'created is not what'],
    ['has a time in words', JSON.stringify({ ...event, created: 'today' }), 'created is not what'],
  ])('is refused with the reason when it %s', async (_, payload, reason) => {
    const answer = await millrace.call('POST', '/billing/stripe/webhook', payload, {
      key: null,
      headers: { 'Stripe-Signature': signatureOf(payload) },
    });
    expect([answer.status, answer.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.detail).toContain(reason);
  });
});

describe('a signed event', () => {
  it.each([undefined, null])(
    'with the time %s counts as created when it was signed',
    async (created) => {
      const { workspaceId } = await free();
      const id = `evt_by_hand_${created}`;
      const session = sessionFixture(`cs_by_hand_${created}`, {
        client_reference_id: workspaceId,
        metadata: { plan_tier: 'Pro' },
        object: undefined,
      });
      const type = 'checkout.session.completed';
      const event = { id, type, created, data: { object: session } };
      const signedAt = Math.floor(Date.now() / 1000) - 100;
      const signature = signatureOf(JSON.stringify(event), WEBHOOK_SECRET, signedAt * 1000);
      const answer = await postEvent(millrace, event, { signature });
      expect(answer.status, answer.text).toBe(200);
      expect(await planOf(workspaceId)).toBe('Pro');
      const row = await db()
        .selectFrom('stripe_event')
        .select('created_at')
        .where('id', '=', id)
        .executeTakeFirst();
      expect(row?.created_at).toEqual(new Date(signedAt * 1000));
    },
  );

  it('may be signed with either secret during a rotation', async () => {
    for (const secret of [WEBHOOK_SECRET, NEXT_SECRET]) {
      const event = eventFixture('ping.of.nothing', { id: secret });
      const signature = signatureOf(JSON.stringify(event), secret);
      const answer = await postEvent(millrace, event, { signature });
      expect([answer.status, answer.body]).toEqual([200, { received: true }]);
    }
  });

  it('of an unknown type, or a thin one, is only recorded', async () => {
    const thin = {
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v2.core.account.updated',
      created: '2026-01-01T00:00:00.000Z',
      related_object: { id: 'acct_1', type: 'v2.core.account' },
    };
    for (const event of [thin, eventFixture('radar.early_fraud_warning.created', { id: 'x' })]) {
      expect((await postEvent(millrace, event)).status).toBe(200);
      expect(await recorded(event.id)).toBe(1);
    }
  });

  it.each([
    ['no id', ''],
    ['not a UUID', 'workspace-1'],
    ['an attack', "'; drop table workspace; --"],
    ['an unknown id', randomUUID()],
  ])('with %s as reference belongs to nobody', async (name, reference) => {
    const id = `sub_nobody_${name.replaceAll(' ', '_')}`;
    const session = sessionFixture(`cs_${id}`, {
      client_reference_id: reference,
      metadata: { workspace_id: reference, plan_tier: 'Pro' },
      subscription: id,
    });
    expect((await post('checkout.session.completed', session)).status).toBe(200);
    expect((await subscriptionRow(id))?.workspace_id).toBeNull();
  });

  it('with fields of unexpected shapes is not an error', async () => {
    const strange = subscriptionFixture('sub_strange', {
      customer: 12,
      currency: ['usd'],
      metadata: null,
      items: { data: [{ price: 'price_1' }, null] },
      cancellation_details: 'none',
      ended_at: 'yesterday',
    });
    expect((await post('customer.subscription.updated', strange)).status).toBe(200);
    expect(await subscriptionRow('sub_strange')).toMatchObject({
      status: 'active',
      customer_id: null,
      plan_tier: null,
      amount_monthly: null,
    });
  });
});

describe('a checkout', () => {
  it('grants its plan once it is paid, not before, and is reported once', async () => {
    const { workspaceId } = await free();
    const session = (payment_status: string) =>
      sessionFixture('cs_debit', {
        client_reference_id: workspaceId,
        subscription: 'sub_debit',
        customer: 'cus_debit',
        metadata: { plan_tier: 'Pro' },
        payment_status,
      });
    await post('checkout.session.completed', session('unpaid'));
    expect(await planOf(workspaceId)).toBe('Free');
    expect(await webhooksOf(workspaceId)).toEqual([]);
    const paid = eventFixture('checkout.session.async_payment_succeeded', session('paid'), {
      created: START + 60,
    });
    for (const sent of [paid, paid, paid]) {
      expect((await postEvent(millrace, sent)).status).toBe(200);
    }
    await post('checkout.session.completed', session('paid'));
    expect(await planOf(workspaceId)).toBe('Pro');
    expect(await webhooksOf(workspaceId)).toMatchObject([
      {
        type: 'checkout.session.completed',
        timestamp: '2026-01-01T00:01:00.000Z',
        data: {
          session_id: 'cs_debit',
          customer_email: 'buyer@example.com',
          plan_tier: 'Pro',
          amount_total: 5900,
          currency: 'usd',
        },
      },
    ]);
  });

  it('grants nothing when its debit fails', async () => {
    const { workspaceId } = await free();
    const session = sessionFixture('cs_failed', {
      client_reference_id: workspaceId,
      subscription: 'sub_failed',
      metadata: { plan_tier: 'Pro' },
      payment_status: 'unpaid',
    });
    await post('checkout.session.completed', session);
    await post('checkout.session.async_payment_failed', session);
    expect([await planOf(workspaceId), await webhooksOf(workspaceId)]).toEqual(['Free', []]);
  });

  it('without a plan is reported when its subscription names one', async () => {
    const { workspaceId } = await free();
    const session = sessionFixture('cs_silent', {
      client_reference_id: workspaceId,
      subscription: 'sub_silent',
      customer: 'cus_silent',
    });
    await post('checkout.session.completed', session);
    expect(await webhooksOf(workspaceId)).toEqual([]);
    const subscription = subscriptionFixture('sub_silent', {
      customer: 'cus_silent',
      items: itemsFixture(priceFixture('agency')),
    });
    await post('customer.subscription.created', subscription);
    expect(await planOf(workspaceId)).toBe('Agency');
    expect(await webhooksOf(workspaceId)).toMatchObject([{ data: { plan_tier: 'Agency' } }]);
  });

  it('posted twenty times at once counts once', async () => {
    const { workspaceId } = await free();
    const event = eventFixture(
      'checkout.session.completed',
      sessionFixture('cs_many', {
        client_reference_id: workspaceId,
        subscription: 'sub_many',
        metadata: { plan_tier: 'Pro' },
      }),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => postEvent(millrace, event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await webhooksOf(workspaceId)).toHaveLength(1);
  });
});
