import { randomUUID } from 'node:crypto';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { NASTY_QUERY_VALUES, NASTY_SEGMENTS, NASTY_VALUES, toJson } from './nasty-values.ts';
import { aimedAt, type Targets } from './malformed-targets.ts';
import { type Json, LEGACY_MESSAGE, type Operation, operationsOf } from './openapi-operations.ts';
import type { WireRequest } from './raw-http.ts';
import {
  eventFixture,
  sessionFixture,
  signatureOf,
  START,
  subscriptionFixture,
} from './stripe-fixtures.ts';

/** A request with one or several faults, and the names of those. */
export interface MalformedRequest extends WireRequest {
  faults: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

interface Wrapping {
  headers: string[];
  wrap: (body: Buffer) => Buffer;
}

const typed = (type: string, wrap = (body: Buffer) => body): Wrapping => ({
  headers: ['Content-Type', type],
  wrap,
});
const encoded = (encoding: string, wrap: (body: Buffer) => Buffer): Wrapping => ({
  headers: ['Content-Type', 'application/json', 'Content-Encoding', encoding],
  wrap,
});
const half = (body: Buffer) => body.subarray(0, body.length >> 1);
const spoil = (body: Buffer) => {
  const spoilt = Buffer.from(body);
  const middle = spoilt.length >> 1;
  for (let index = middle; index < middle + 8 && index < spoilt.length; index += 1) {
    spoilt[index] = 255 - (spoilt[index] ?? 0);
  }
  return spoilt;
};

const FAST_BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };

/** 40 MB of zeros in 40 kB. */
const BOMB = zlib.gzipSync(Buffer.alloc(40_000_000));

const WRAPPINGS: Record<string, Wrapping> = {
  plain: typed('application/json'),
  'no content type': { headers: [], wrap: (body) => body },
  'wrong type': typed('text/html'),
  'form type': typed('application/x-www-form-urlencoded'),
  'absurd type': typed('\u00ff;;;=/'),
  'two types': {
    headers: ['Content-Type', 'text/xml', 'Content-Type', 'application/json'],
    wrap: (body) => body,
  },
  'wrong charset': typed('application/json; charset=utf-16'),
  ndjson: typed('application/x-ndjson'),
  'ndjson of noise': typed('application/x-ndjson', (body) =>
    Buffer.concat([body, Buffer.from('\n\r\n\xff\n{"a":\n', 'latin1'), body]),
  ),
  truncated: typed('application/json', half),
  'broken JSON': typed('application/json', (body) => Buffer.concat([body, Buffer.from('}]')])),
  'not JSON': typed('application/json', () => Buffer.from('NaN')),
  'invalid UTF-8': typed('application/json', (body) =>
    Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3]), body]),
  ),
  'UTF-16': typed('application/json', (body) => Buffer.from(body.toString('utf8'), 'utf16le')),
  'empty body': typed('application/json', () => Buffer.alloc(0)),
  'unknown encoding': encoded('snappy', (body) => body),
  'many encodings': encoded('gzip, gzip, gzip', (body) => body),
  'says gzip': encoded('gzip', (body) => body),
  'says br': encoded('br', (body) => body),
  'says zstd': encoded('zstd', (body) => body),
  'cut gzip': encoded('gzip', (body) => half(zlib.gzipSync(body))),
  'cut br': encoded('br', (body) => half(zlib.brotliCompressSync(body, FAST_BROTLI))),
  'cut zstd': encoded('zstd', (body) => half(zlib.zstdCompressSync(body))),
  'spoilt gzip': encoded('gzip', (body) => spoil(zlib.gzipSync(body))),
  'spoilt br': encoded('br', (body) => spoil(zlib.brotliCompressSync(body, FAST_BROTLI))),
  'spoilt zstd': encoded('zstd', (body) => spoil(zlib.zstdCompressSync(body))),
  'gzip and more': encoded('gzip', (body) => Buffer.concat([zlib.gzipSync(body), body])),
  'gzip twice': encoded('gzip, gzip', (body) => zlib.gzipSync(zlib.gzipSync(body))),
  'gzip bomb': encoded('gzip', () => BOMB),
};

const TARGET = '{target}';
/** Excluded because it would delete the conversation that other requests target. */
const DELETES_TARGETS = '/chat/delete-all-chat-sessions';
const STRIPE_WEBHOOK = '/billing/stripe/webhook';
/** Stripe events count once, so each one gets its own id. */
const STRIPE_EVENT = 'evt_malformed';

/** Requests to the operations of an OpenAPI description, each with a fault. */
export function malformedRequest(
  description: Json,
  key: string,
  targets: Targets,
): fc.Arbitrary<MalformedRequest> {
  const operations = operationsOf(description)
    .filter(({ path }) => path !== DELETES_TARGETS)
    .flatMap((operation) => shapesOf(operation, targets));
  const withBody = operations.filter(({ sample }) => sample !== undefined);
  const seldom = <T>(usual: T, arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
  const mutation = fc.record({
    place: fc.nat(),
    how: fc.constantFrom('replace', 'remove', 'wrap', 'rename'),
    value: NASTY_VALUES,
  });
  return fc
    .record({
      operation: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom(...withBody) },
        { weight: 1, arbitrary: fc.constantFrom(...operations) },
      ),
      segments: fc.array(
        fc.oneof(
          { weight: 3, arbitrary: NASTY_SEGMENTS },
          { weight: 2, arbitrary: fc.constant(TARGET) },
        ),
        { minLength: 1, maxLength: 2 },
      ),
      query: fc.array(fc.tuple(fc.nat(), NASTY_QUERY_VALUES), { maxLength: 3 }),
      mutations: fc.array(mutation, { maxLength: 3 }),
      wrapping: fc.oneof(
        { weight: 1, arbitrary: fc.constant('plain') },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(WRAPPINGS)) },
      ),
      method: seldom<string | null>(null, fc.constantFrom(...METHODS)),
      prefix: seldom('', fc.constantFrom('/api', '/api/api', '//', '/..', '/%2e')),
    })
    .map((drawn) => build(drawn.operation, drawn, { key, targets }));
}

function shapesOf(operation: Operation, targets: Targets): Operation[] {
  const aimed = { ...operation, sample: aimedAt(targets, operation) };
  switch (operation.path) {
    case STRIPE_WEBHOOK:
      return stripeOperations(operation, targets);
    case '/chat/send-message':
      return [
        aimed,
        { ...operation, sample: aimedAt(targets, { ...operation, sample: LEGACY_MESSAGE }) },
      ];
    default:
      return [aimed];
  }
}

/** The Stripe endpoint once per kind of event, for an existing workspace. */
function stripeOperations(operation: Operation, { manage: workspaceId }: Targets): Operation[] {
  const metadata = { workspace_id: String(workspaceId), plan_tier: 'Pro' };
  const links = { customer: 'cus_malformed', subscription: 'sub_malformed', metadata };
  const subscription = subscriptionFixture('sub_malformed', { ...links, trial_end: START });
  const invoice = { id: 'in_1', object: 'invoice', customer_email: 'b@example.com', ...links };
  const customer = { id: 'cus_malformed', object: 'customer', email: 'c@example.com' };
  return [
    eventFixture('customer.subscription.updated', subscription, { previous: { status: 'unpaid' } }),
    eventFixture('customer.subscription.deleted', subscription),
    eventFixture('checkout.session.completed', sessionFixture('cs_malformed', links)),
    eventFixture('invoice.paid', invoice),
    eventFixture('customer.updated', customer),
  ].map((event) => ({ ...operation, sample: { ...event, id: STRIPE_EVENT } }));
}

interface Draw {
  segments: string[];
  query: [number, string][];
  mutations: { place: number; how: string; value: unknown }[];
  wrapping: string;
  method: string | null;
  prefix: string;
}

function build(
  operation: Operation,
  draw: Draw,
  { key, targets }: { key: string; targets: Targets },
): MalformedRequest {
  const first = firstPart(operation.path);
  const segments = [...draw.segments];
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const segment = segments.shift() ?? 'x';
    if (segment !== TARGET) return segment;
    // A deleted target could not be used by later requests.
    if (operation.method === 'DELETE') return 'x';
    return String(targets[`${first}/${parameter}`] ?? targets[first] ?? 'x');
  });
  const names = [...operation.queryNames, 'unknown', 'limit[]', '__proto__'];
  const query = draw.query.map(([n, value]) => `${names[n % names.length]}=${value}`).join('&');
  const method = draw.method ?? operation.method;
  const wrapping = WRAPPINGS[draw.wrapping] ?? typed('application/json');
  const takesBody = operation.sample !== undefined && !['GET', 'HEAD', 'TRACE'].includes(method);
  const json = takesBody
    ? toJson(draw.mutations.reduce(mutate, operation.sample)).replace(
        STRIPE_EVENT,
        `evt_${randomUUID()}`,
      )
    : null;
  const signed = json !== null && operation.path === STRIPE_WEBHOOK;
  return {
    method,
    path: `${draw.prefix}${path}${query === '' ? '' : `?${query}`}`,
    headers: [
      'Authorization',
      `Bearer ${key}`,
      ...(json === null ? [] : wrapping.headers),
      ...(signed ? ['Stripe-Signature', signatureOf(json)] : []),
    ],
    body: json === null ? null : wrapping.wrap(Buffer.from(json)),
    faults: `${draw.wrapping}; ${draw.mutations.map(({ how }) => how).join(', ')}`,
  };
}

function firstPart(path: string): string {
  return path.split('/')[1] ?? '';
}

function mutate(sample: unknown, { place, how, value }: Draw['mutations'][number]): unknown {
  const copy: unknown = structuredClone(sample);
  const places = placesOf(copy);
  const chosen = places[place % places.length];
  if (!chosen) return value;
  const { holder, name } = chosen;
  if (how === 'remove') delete holder[name];
  else if (how === 'wrap') holder[name] = [holder[name]];
  else if (how === 'rename') holder[`${name}\0`] = holder[name];
  else holder[name] = value;
  return copy;
}

/** Every field and element of a value, plus null for the value itself. */
function placesOf(value: unknown): ({ holder: Json; name: string } | null)[] {
  const places: ({ holder: Json; name: string } | null)[] = [null];
  const visit = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    for (const [name, inner] of Object.entries(one)) {
      places.push({ holder: one, name });
      visit(inner);
    }
  };
  visit(value);
  return places;
}
