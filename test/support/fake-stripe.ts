import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

export interface StripeCall {
  method: string;
  path: string;
  /** Query or form fields, flattened as by the SDK: `metadata[workspace_id]`. */
  parameters: Record<string, string>;
  idempotencyKey: string | null;
  authorization: string | null;
}

export interface FakeStripe extends AsyncDisposable {
  readonly url: string;
  readonly calls: StripeCall[];
  prices: Json[];
  /** Products by id. */
  products: Record<string, Json>;
  customers: Record<string, Json>;
  /** Line items by session. */
  lineItems: Record<string, Json[]>;
  /** When set, the outcome of every call: a status with an error, or a broken connection. */
  failure: { status: number; error: Json } | 'reset' | null;
}

/** The few calls of Stripe's API that Millrace makes, with idempotency keys handled as by Stripe. */
export async function startFakeStripe(): Promise<FakeStripe> {
  const kept = new Map<string, Json>();
  const server = createServer((request, response) => {
    // A client that disconnects in the middle of its request is not a server failure.
    answer(fake, kept, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const fake: FakeStripe = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    prices: [],
    products: {},
    customers: {},
    lineItems: {},
    failure: null,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
  return fake;
}

async function answer(
  fake: FakeStripe,
  kept: Map<string, Json>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stripe.test');
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  const call: StripeCall = {
    method: request.method ?? '',
    path: pathname,
    parameters: Object.fromEntries([...searchParams, ...form]),
    idempotencyKey: headerOf(request, 'idempotency-key'),
    authorization: headerOf(request, 'authorization'),
  };
  fake.calls.push(call);
  if (fake.failure === 'reset') {
    request.socket.destroy();
    return;
  }
  const [status, body] = fake.failure
    ? [fake.failure.status, { error: fake.failure.error }]
    : respond(fake, kept, call);
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' });
  response.end(JSON.stringify(body));
}

function respond(fake: FakeStripe, kept: Map<string, Json>, call: StripeCall): [number, Json] {
  const { path, parameters, idempotencyKey } = call;
  const [, , resource = '', id = '', part = ''] = path.split('/');
  if (path === '/v1/checkout/sessions' || path === '/v1/billing_portal/sessions') {
    const { customer } = parameters;
    if (customer !== undefined && !fake.customers[customer]) return missing('customer', customer);
    const name = `cs_${fake.calls.length}`;
    const session = kept.get(idempotencyKey ?? '') ?? {
      id: name,
      url: `https://stripe.test/${name}`,
    };
    if (idempotencyKey !== null) kept.set(idempotencyKey, session);
    return [200, session];
  }
  if (path === '/v1/prices') {
    const wanted = Object.entries(parameters).flatMap(([name, value]) =>
      name.startsWith('lookup_keys') ? [value] : [],
    );
    const data = fake.prices.filter(({ lookup_key }) => wanted.includes(String(lookup_key)));
    return [200, { object: 'list', data, has_more: false, url: path }];
  }
  if (resource === 'checkout' && path.endsWith('/line_items')) {
    return [200, { object: 'list', data: fake.lineItems[part] ?? [], has_more: false, url: path }];
  }
  const found = resource === 'products' ? fake.products[id] : fake.customers[id];
  return found ? [200, found] : missing('id', id);
}

function missing(param: string, id: string): [number, Json] {
  const error = { type: 'invalid_request_error', code: 'resource_missing', param };
  return [404, { error: { ...error, message: `No such thing: ${id}; key sk_test_hidden` } }];
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const header = request.headers[name];
  return typeof header === 'string' ? header : null;
}
