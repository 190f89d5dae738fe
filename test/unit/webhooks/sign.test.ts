import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { makeSecret, signatureHeaders, type SigningSecrets } from '#src/webhooks/sign.ts';

/** The test vector published by Standard Webhooks, also in docs/webhooks.md. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const only = (current: string): SigningSecrets => ({ current, previous: null });
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

describe('the published vector', () => {
  const headers = signatureHeaders(only(VECTOR.secret), VECTOR);

  test('yields the published headers exactly', () => {
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'x-signature': '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
    });
  });

  test.each([
    [
      'without its prefix',
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      '5ee0e8e3d564cf9cbeea807e97cecc6cccf0b0e20aa28073cc267a2881a839fc',
    ],
    [
      'decoded',
      Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'),
      'e2cb4f5251572539d458bfb8a7adb533b08801e6a794467e06f771debbb0818b',
    ],
  ])('is not produced by the secret %s as the key of X-Signature', (_, key, digest) => {
    const other = createHmac('sha256', key).update(VECTOR.body).digest('hex');
    expect(other).toBe(digest);
    expect(headers['x-signature']).not.toBe(other);
  });
});

describe('the verifier of Standard Webhooks', () => {
  const message = (body: string) => ({ id: 'evt_1', timestampSeconds: nowSeconds(), body });

  test('refuses a changed body, id or time, and another secret', () => {
    const secret = makeSecret();
    const body = '{"n":1}';
    const headers = signatureHeaders(only(secret), message(body));
    const verifier = new Webhook(secret);
    expect(verifier.verify(body, headers)).toEqual({ n: 1 });
    expect(() => verifier.verify('{"n":2}', headers)).toThrow();
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    const later = { ...headers, 'webhook-timestamp': String(nowSeconds() + 7) };
    expect(() => verifier.verify(body, later)).toThrow();
    expect(() => new Webhook(makeSecret()).verify(body, headers)).toThrow();
  });

  test('refuses an old delivery that X-Signature alone would accept', () => {
    const headers = signatureHeaders(only(VECTOR.secret), VECTOR);
    expect(() => new Webhook(VECTOR.secret).verify(VECTOR.body, headers)).toThrow(/timestamp/i);
  });

  test('accepts any UTF-8 text with any secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const secret = makeSecret();
        const body = JSON.stringify({ text, fixed: 'Grüße, 日本, 👩‍🚀' });
        const headers = signatureHeaders(only(secret), message(body));
        const received = Buffer.from(body, 'utf8');
        expect(new Webhook(secret).verify(received, headers)).toMatchObject({ text });
        const naive = createHmac('sha256', secret).update(received).digest('hex');
        expect(headers['x-signature']).toBe(naive);
      }),
    );
  });
});

describe('a rotation', () => {
  const previous = makeSecret();
  const current = makeSecret();
  const message = { id: 'evt_1', timestampSeconds: nowSeconds(), body: '{"n":1}' };
  const during = signatureHeaders({ current, previous }, message);
  const after = signatureHeaders(only(current), message);
  const before = signatureHeaders(only(previous), message);

  test('keeps X-Signature on the old secret, as one value, until the grace period ends', () => {
    expect(during['x-signature']).toBe(before['x-signature']);
    expect(during['x-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(after['x-signature']).not.toBe(before['x-signature']);
  });

  test('signs with both secrets at once, the new one first', () => {
    expect(during['webhook-signature']).toBe(
      `${after['webhook-signature']} ${before['webhook-signature']}`,
    );
    for (const secret of [current, previous]) {
      expect(new Webhook(secret).verify(message.body, during)).toEqual({ n: 1 });
    }
  });

  test('ends the old secret with the grace period', () => {
    expect(new Webhook(current).verify(message.body, after)).toEqual({ n: 1 });
    expect(() => new Webhook(previous).verify(message.body, after)).toThrow();
  });
});

test('a new secret is whsec_ and 32 random bytes, and always different', () => {
  const secrets = Array.from({ length: 100 }, makeSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(100);
});
