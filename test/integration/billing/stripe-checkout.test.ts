import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeStripe, startFakeStripe } from '#test/support/fake-stripe.ts';
import {
  eventFixture,
  itemsFixture,
  postEvent,
  priceFixture,
  sessionFixture,
  subscriptionFixture,
  WEBHOOK_SECRET,
} from '#test/support/stripe-fixtures.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

const KEY = 'sk_test_never_to_be_seen';

let stripe: FakeStripe;
let millrace: TestMillrace;

beforeAll(async () => {
  stripe = await startFakeStripe();
  millrace = await startTestMillrace({
    STRIPE_SECRET_KEY: KEY,
    STRIPE_API_URL: stripe.url,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    PUBLIC_URL: 'https://millrace.example.com/',
    LOG_LEVEL: 'silent',
  });
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});
beforeEach(() => {
  stripe.calls.length = 0;
  stripe.prices = [priceFixture('pro_monthly')];
  stripe.failure = null;
});

const free = () => millrace.createWorkspace('Free');
const checkout = (key: string, body: object = {}) =>
  millrace.call('POST', '/billing/checkout', { plan_tier: 'Pro', ...body }, { key });
const portal = (key: string) => millrace.call('POST', '/billing/portal', undefined, { key });
/** Reads the row, because keys are cached with their plan for some seconds. */
const planOf = async (workspaceId: string) => {
  const { rows } = await sql<{ plan: string }>`
    select plan_tier as plan from workspace where id = ${workspaceId}`.execute(
    millrace.services.db,
  );
  return rows[0]?.plan;
};
const paid = (id: string, workspaceId: string) =>
  postEvent(
    millrace,
    eventFixture(
      'checkout.session.completed',
      sessionFixture(`cs_${id}`, {
        client_reference_id: workspaceId,
        customer: `cus_${id}`,
        metadata: { plan_tier: 'Pro' },
      }),
    ),
  );
const sessionCalls = () => stripe.calls.filter(({ path }) => path === '/v1/checkout/sessions');

describe('a requested checkout', () => {
  it.each<[string, object]>([
    ['a free plan', { plan_tier: 'Free' }],
    ['a plan sold by agreement', { plan_tier: 'Enterprise' }],
    ['an unknown plan', { plan_tier: 'pro' }],
    ['a script URL as return page', { success_url: 'javascript:alert(1)' }],
    ['a return page that is not a URL', { cancel_url: 'somewhere' }],
  ])('for %s is refused before Stripe is called', async (_, body) => {
    const { key } = await free();
    const { status, body: answer } = await checkout(key, body);
    expect([status, answer.error_code, stripe.calls.length]).toEqual([400, 'BAD_REQUEST', 0]);
  });

  it('names the lookup_key that is missing at Stripe', async () => {
    const { key } = await free();
    const { status, body } = await checkout(key, { plan_tier: 'Agency' });
    expect([status, body.error_code]).toEqual([409, 'CONFLICT']);
    expect(body.detail).toContain('lookup_key agency');
  });

  it('is one session for two clicks and names the workspace', async () => {
    const { key, workspaceId } = await free();
    const [first, second] = await Promise.all([checkout(key), checkout(key)]);
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect(first.body.url).toMatch(/^https:/);
    expect(sessionCalls()[0]).toMatchObject({
      authorization: `Bearer ${KEY}`,
      parameters: {
        mode: 'subscription',
        client_reference_id: workspaceId,
        'line_items[0][price]': 'price_pro_monthly',
        'metadata[workspace_id]': workspaceId,
        'metadata[plan_tier]': 'Pro',
        'subscription_data[metadata][workspace_id]': workspaceId,
        'subscription_data[metadata][plan_tier]': 'Pro',
        success_url: 'https://millrace.example.com/?checkout=completed',
        cancel_url: 'https://millrace.example.com/?checkout=canceled',
      },
    });
    const other = await checkout((await free()).key);
    expect(other.body.session_id).not.toBe(first.body.session_id);
  });

  it('returns to the given pages', async () => {
    const { key } = await free();
    const pages = { success_url: 'https://a.example/ok', cancel_url: 'http://localhost:1/no' };
    expect((await checkout(key, pages)).status).toBe(200);
    expect(sessionCalls()[0]?.parameters).toMatchObject(pages);
  });

  it('reuses the existing customer and works without a deleted one', async () => {
    const { key, workspaceId } = await free();
    stripe.customers['cus_again'] = { id: 'cus_again' };
    await paid('again', workspaceId);
    expect((await checkout(key)).status).toBe(200);
    expect(sessionCalls()[0]?.parameters['customer']).toBe('cus_again');
    delete stripe.customers['cus_again'];
    expect((await checkout(key, { cancel_url: 'https://a.example' })).status).toBe(200);
    expect(sessionCalls().at(-1)?.parameters['customer']).toBeUndefined();
    expect((await portal(key)).status).toBe(409);
  });

  it('is refused for a workspace that has a subscription', async () => {
    const { key, workspaceId } = await free();
    const metadata = { workspace_id: workspaceId };
    const live = subscriptionFixture('sub_live', { status: 'past_due', metadata });
    await postEvent(millrace, eventFixture('customer.subscription.created', live));
    const { status, body } = await checkout(key);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('/billing/portal')]);
    expect(stripe.calls).toEqual([]);
  });

  it.each<[string, FakeStripe['failure'], string]>([
    [
      'a wrong key',
      { status: 401, error: { type: 'invalid_request_error', message: `Invalid key: ${KEY}` } },
      'Stripe does not recognize the secret key of this service (request req_fake). The operator should check STRIPE_SECRET_KEY.',
    ],
    [
      'a key with too few permissions',
      { status: 403, error: { type: 'invalid_request_error', message: `Not for ${KEY}` } },
      'The secret key of this service lacks the Stripe permission for this (request req_fake).',
    ],
    [
      'a wrong parameter',
      {
        status: 400,
        error: { type: 'invalid_request_error', code: 'url_invalid', param: 'success_url' },
      },
      'Stripe rejected the request as invalid (url_invalid, parameter success_url, request req_fake).',
    ],
    [
      'an outage',
      { status: 500, error: { type: 'api_error', message: 'Sorry' } },
      'Stripe has an internal error (request req_fake). Try again shortly.',
    ],
    ['a broken connection', 'reset', 'Stripe could not be reached. Try again shortly.'],
  ])('fails as a bad gateway on %s and reveals no secret', async (_, failure, sentence) => {
    const { key } = await free();
    stripe.failure = failure;
    const { status, body, text } = await checkout(key);
    expect([status, body.error_code]).toEqual([502, 'BAD_GATEWAY']);
    expect(body.detail).toContain(sentence);
    expect(body.detail).not.toMatch(/Stripe\w*Error/);
    expect(text).not.toContain('sk_test');
  });

  it('needs an admin key', async () => {
    const { key } = await free();
    const { body } = await millrace.call(
      'POST',
      '/account/api-keys',
      { name: 'member', role: 'member' },
      { key },
    );
    expect((await checkout(body.key)).status).toBe(403);
    expect((await portal(body.key)).status).toBe(403);
  });
});

describe('the portal', () => {
  it('opens only for the customer of the workspace', async () => {
    const [owner, other] = [await free(), await free()];
    stripe.customers['cus_portal'] = { id: 'cus_portal' };
    await paid('portal', owner.workspaceId);
    const opened = await portal(owner.key);
    expect([opened.status, typeof opened.body.url]).toEqual([200, 'string']);
    expect(stripe.calls.at(-1)?.parameters).toEqual({
      customer: 'cus_portal',
      return_url: 'https://millrace.example.com/',
    });
    const refused = await portal(other.key);
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONFLICT']);
  });
});

describe('an event without a plan', () => {
  const silent = (id: string, workspaceId: string) =>
    eventFixture(
      'customer.subscription.created',
      subscriptionFixture(id, {
        metadata: { workspace_id: workspaceId },
        items: itemsFixture(priceFixture(null, { product: `prod_${id}` })),
      }),
    );

  it('is resolved at Stripe through the plan on the product', async () => {
    const { workspaceId } = await free();
    stripe.products['prod_sub_asked'] = {
      id: 'prod_sub_asked',
      metadata: { plan_tier: 'Agency' },
    };
    const event = silent('sub_asked', workspaceId);
    for (const sent of [event, event]) expect((await postEvent(millrace, sent)).status).toBe(200);
    expect(await planOf(workspaceId)).toBe('Agency');
    expect(stripe.calls.map(({ path }) => path)).toEqual(['/v1/products/prod_sub_asked']);
  });

  it('stays unapplied while Stripe fails, and is applied when sent again', async () => {
    const { workspaceId } = await free();
    stripe.products['prod_sub_later'] = { id: 'prod_sub_later', metadata: { plan_tier: 'Pro' } };
    const event = silent('sub_later', workspaceId);
    stripe.failure = { status: 500, error: { type: 'api_error', message: 'Sorry' } };
    const failed = await postEvent(millrace, event);
    expect([failed.status, failed.body.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await planOf(workspaceId)).toBe('Free');
    stripe.failure = null;
    expect((await postEvent(millrace, event)).status).toBe(200);
    expect(await planOf(workspaceId)).toBe('Pro');
  });

  it('is applied without a plan when Stripe does not know it', async () => {
    const { workspaceId } = await free();
    expect((await postEvent(millrace, silent('sub_unknown', workspaceId))).status).toBe(200);
    expect(await planOf(workspaceId)).toBe('Free');
  });

  it('is resolved through the line items when it is a checkout', async () => {
    const { workspaceId } = await free();
    const product = { id: 'prod_line', metadata: { plan_tier: 'personal' } };
    stripe.lineItems['cs_lines'] = [{ id: 'li_1', price: priceFixture(null, { product }) }];
    const session = sessionFixture('cs_lines', {
      client_reference_id: workspaceId,
      subscription: 'sub_lines',
    });
    await postEvent(millrace, eventFixture('checkout.session.completed', session));
    expect(await planOf(workspaceId)).toBe('Personal');
  });

  it('gets its e-mail from Stripe when it ends the subscription of an unknown customer', async () => {
    const { workspaceId } = await free();
    stripe.customers['cus_sub_mail'] = { id: 'cus_sub_mail', email: 'found@example.com' };
    const ended = subscriptionFixture('sub_mail', {
      status: 'canceled',
      metadata: { workspace_id: workspaceId },
    });
    await postEvent(millrace, eventFixture('customer.subscription.deleted', ended));
    const { payload } = await millrace.services.db
      .selectFrom('webhook_event')
      .select('payload')
      .where('dedupe_key', '=', 'subscription-deleted:sub_mail')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(payload ?? '').data.customer_email).toBe('found@example.com');
  });
});

describe('a service without Stripe', () => {
  it('names the settings that are missing', async () => {
    await using plain = await startTestMillrace({ LOG_LEVEL: 'silent' });
    const event = await postEvent(plain, eventFixture('invoice.paid', { id: 'in_1' }));
    expect([event.status, event.body.detail]).toEqual([
      404,
      expect.stringContaining('STRIPE_WEBHOOK_SECRET'),
    ]);
    for (const [path, body] of [
      ['checkout', { plan_tier: 'Pro' }],
      ['portal', {}],
    ] as const) {
      const answer = await plain.call('POST', `/billing/${path}`, body);
      expect([answer.status, answer.body.detail]).toEqual([
        409,
        expect.stringContaining('STRIPE_SECRET_KEY'),
      ]);
    }
  });
});
