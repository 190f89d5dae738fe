import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { makeSecret, signatureHeaders, type SigningSecrets } from '#src/webhooks/sign.ts';
import { webhookBody } from './webhook-events.ts';
import type { WebhookReceivers } from './webhook-receivers.ts';

/** Signs one webhook: see `signatureHeaders`. */
export type Sign = (
  secrets: SigningSecrets,
  message: { id: string; timestampSeconds: number; body: string },
) => Record<string, string>;

/** The same headers as `signatureHeaders`, as one writes them down: the decoded key is a buffer. */
export const signPlainly: Sign = ({ current }, { id, timestampSeconds, body }) => {
  const key = Buffer.from(current.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${signed.toString('base64')}`,
    'x-signature': createHmac('sha256', current).update(body).digest().toString('hex'),
  };
};

/**
 * The baseline for sending webhooks: a loop that signs and posts, and stores nothing.
 * @returns seconds
 * @throws when a receiver answers anything but 204, or receives fewer webhooks than were sent
 */
export async function postBare(
  receivers: WebhookReceivers,
  deliveries: number,
  connections: number,
  sign: Sign = signatureHeaders,
): Promise<number> {
  const secret = makeSecret();
  const messages = Array.from({ length: deliveries }, () => {
    const id = `evt_${randomUUID().replaceAll('-', '')}`;
    return { id, body: webhookBody(id) };
  });
  const perOrigin = Math.ceil(connections / receivers.origins.length);
  const pools = receivers.origins.map((origin) => new Pool(origin, { connections: perOrigin }));
  await receivers.take();
  const startedMs = performance.now();
  let next = 0;
  const run = async (lane: number): Promise<void> => {
    const pool = pools[lane % pools.length];
    for (let message = messages[next++]; message && pool; message = messages[next++]) {
      await post(pool, sign, secret, message);
    }
  };
  await Promise.all(Array.from({ length: perOrigin * pools.length }, (_, lane) => run(lane)));
  const seconds = (performance.now() - startedMs) / 1_000;
  await Promise.all(pools.map((pool) => pool.close()));
  const { arrivals } = await receivers.take();
  if (arrivals.length !== deliveries) {
    throw new Error(`The bare loop sent ${deliveries} webhooks, ${arrivals.length} came.`);
  }
  return seconds;
}

async function post(
  pool: Pool,
  sign: Sign,
  secret: string,
  { id, body }: { id: string; body: string },
): Promise<void> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = {
    'content-type': 'application/json',
    ...sign({ current: secret, previous: null }, { id, timestampSeconds, body }),
  };
  const answer = await pool.request({ method: 'POST', path: '/webhook', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`A receiver answered ${answer.statusCode}.`);
}
