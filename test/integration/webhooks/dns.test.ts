import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEndpointId } from '#src/ids.ts';
import { createHttpClient, type HttpClient } from '#src/platform/http.ts';
import { deliverToEndpoint } from '#src/webhooks/deliver-to-endpoint.ts';
import { openTestServices, type TestServices } from '#test/support/test-services.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import {
  attemptsTo,
  deliveriesTo,
  insertEndpoint,
  shiftIntoPast,
  writePings,
} from '#test/support/webhook-rows.ts';

/** Answers per name, in turn; the last one is repeated. A string is an error code. */
type Names = Record<string, (string[] | string)[]>;

let test: TestServices;
let receiver: WebhookReceiver;
const opened = new AsyncDisposableStack();
const never = new AbortController().signal;

beforeAll(async () => {
  test = opened.use(await openTestServices());
  receiver = opened.use(await startReceiver());
});
afterAll(() => opened.disposeAsync());

function openClient(names: Names, allowCidrs: string[] = []): HttpClient {
  const lookup = async (host: string) => {
    const answers = names[host] ?? [];
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'ENOTFOUND';
    if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer });
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const client = createHttpClient({
    allowCidrs,
    proxyUrl: null,
    connectTimeoutMs: 2_000,
    plainHttp: 'opened',
    lookup,
  });
  return opened.use(client);
}

/** Makes one pass over an endpoint with one ping. */
async function deliver(
  webhookHttp: HttpClient,
  url: string,
  before: WebhookEndpointId | null = null,
): Promise<WebhookEndpointId> {
  const { services, workspaceId } = test;
  const id = before ?? (await insertEndpoint(services, workspaceId, url)).id;
  if (before === null) await writePings(services, workspaceId, id);
  else await shiftIntoPast(services, id, 1);
  await deliverToEndpoint({ ...services, webhookHttp }, id, never);
  return id;
}

describe('a host name', () => {
  it('that is public when checked and private when connected is refused', async () => {
    const { port } = new URL(receiver.url);
    const client = openClient({ 'turns.example': [['93.184.216.34'], ['127.0.0.1']] });
    await expect(client.guard.addressesOf('turns.example')).resolves.toHaveLength(1);
    const { connections } = receiver;
    const id = await deliver(client, `https://turns.example:${port}/`);
    expect(await attemptsTo(test.services, id)).toMatchObject([
      { outcome: 'failed', counts: true, error_class: 'refused', status_code: null },
    ]);
    expect(receiver.connections).toBe(connections);
    expect((await deliveriesTo(test.services, id))[0]?.error).not.toContain('127.0.0.1');
  });

  it('that moves out of the allowed ranges gets nothing more over plain HTTP', async () => {
    await using closing = await startReceiver({
      behave: () => ({ kind: 'answer', status: 500, headers: { connection: 'close' } }),
    });
    const { port } = new URL(closing.url);
    const client = openClient({ 'leaves.example': [['127.0.0.1'], ['93.184.216.34']] }, [
      '127.0.0.0/8',
    ]);
    const url = `http://leaves.example:${port}/`;
    const id = await deliver(client, url);
    await deliver(client, url, id);
    expect(await attemptsTo(test.services, id)).toMatchObject([
      { error_class: 'http_status', status_code: 500 },
      { error_class: 'refused', error: expect.stringContaining('use https') },
    ]);
    expect(closing.requests).toHaveLength(1);
  });

  it('with a private address beside a public one is refused entirely', async () => {
    const client = openClient({ 'mixed.example': [['93.184.216.34', '10.0.0.1']] });
    const id = await deliver(client, 'https://mixed.example/');
    expect(await attemptsTo(test.services, id)).toMatchObject([{ error_class: 'refused' }]);
  });

  it('that does not exist is a failure of the receiver', async () => {
    const id = await deliver(openClient({}), 'https://gone.example/');
    expect(await attemptsTo(test.services, id)).toMatchObject([
      { outcome: 'failed', counts: true, error_class: 'dns', status_code: null, answer: null },
    ]);
    expect(await deliveriesTo(test.services, id)).toMatchObject([
      { status: 'waiting', attempts: 1, own_outages: 0 },
    ]);
  });

  it('that our resolver cannot answer costs the receiver no attempt', async () => {
    const { port } = new URL(receiver.url);
    const client = openClient({ 'later.example': ['EAI_AGAIN', 'EAI_AGAIN', ['127.0.0.1']] }, [
      '127.0.0.0/8',
    ]);
    const url = `http://later.example:${port}/later`;
    const id = await deliver(client, url);
    await deliver(client, url, id);
    expect(await deliveriesTo(test.services, id)).toMatchObject([
      { status: 'waiting', attempts: 0, round_attempts: 0, own_outages: 2 },
    ]);
    await deliver(client, url, id);
    expect(await deliveriesTo(test.services, id)).toMatchObject([
      { status: 'delivered', attempts: 1 },
    ]);
    const attempts = await attemptsTo(test.services, id);
    expect(attempts.map(({ error_class, counts }) => ({ error_class, counts }))).toEqual([
      { error_class: 'own_outage', counts: false },
      { error_class: 'own_outage', counts: false },
      { error_class: null, counts: true },
    ]);
  });
});

describe('a step of our clock', () => {
  it.each([-30, 30])('by %i days moves no schedule', async (days) => {
    await using failing = await startReceiver({
      behave: () => ({ kind: 'answer', status: 500 }),
    });
    const client = openClient({}, ['127.0.0.0/8']);
    const stepped: TestServices = {
      ...test,
      services: {
        ...test.services,
        clock: () => new Date(Date.now() + days * 86_400_000),
        webhookHttp: client,
      },
    };
    const { services, workspaceId } = stepped;
    const { id } = await insertEndpoint(services, workspaceId, `${failing.url}/`);
    await writePings(services, workspaceId, id);
    await deliverToEndpoint(services, id, never);
    const [delivery] = await deliveriesTo(services, id);
    expect(delivery?.status).toBe('waiting');
    expect(delivery?.waits_seconds).toBeGreaterThan(3.9);
    expect(delivery?.waits_seconds).toBeLessThan(7);
  });
});
