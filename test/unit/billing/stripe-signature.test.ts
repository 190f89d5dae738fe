import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { openSignedEvent, openStripe } from '#src/billing/stripe-client.ts';

const SECRET = 'whsec_test_secret';
const BODY = JSON.stringify({ id: 'evt_1' });
const SIGNED_AT = Date.parse('2026-03-01T10:00:00Z');

/** The outcome of a request that arrives this many seconds after it was signed. */
function open(
  seconds: number,
  { secret = SECRET, body = BODY, secrets = [SECRET] } = {},
): Promise<unknown> {
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: BODY,
    secret,
    timestamp: SIGNED_AT / 1_000,
  });
  const receivedAt = new Date(SIGNED_AT + seconds * 1_000);
  return openSignedEvent({ payload: Buffer.from(body), signature, receivedAt }, secrets);
}

describe('a Stripe event', () => {
  it('is accepted within five minutes of its signature', async () => {
    await expect(open(0)).resolves.toEqual({ id: 'evt_1' });
    await expect(open(300)).resolves.toEqual({ id: 'evt_1' });
  });

  it('that is older is refused, since it may be a replay', async () => {
    await expect(open(301)).rejects.toThrow('missing, too old, or does not match');
    await expect(open(86_400)).rejects.toThrow('too old');
  });

  it('is refused with another secret, another body, or no signature', async () => {
    await expect(open(0, { secret: 'whsec_other' })).rejects.toThrow('does not match');
    await expect(open(0, { body: JSON.stringify({ id: 'evt_2' }) })).rejects.toThrow(
      'does not match',
    );
    const unsigned = { payload: Buffer.from(BODY), signature: undefined, receivedAt: new Date() };
    await expect(openSignedEvent(unsigned, [SECRET])).rejects.toThrow('missing');
  });

  it('may be signed with any of the secrets during a rotation', async () => {
    await expect(open(0, { secrets: ['whsec_new', SECRET] })).resolves.toEqual({ id: 'evt_1' });
  });
});

describe('a call to Stripe', () => {
  it('times out after ten seconds', async () => {
    const stripe = await openStripe({ STRIPE_SECRET_KEY: 'sk_test', STRIPE_API_URL: undefined });
    expect(stripe?.getApiField('timeout')).toBe(10_000);
  });
});
