import zlib from 'node:zlib';
import fc from 'fast-check';
import { NASTY_QUERY_VALUES, NASTY_SEGMENTS, NASTY_VALUES, toJson } from './nasty-values.ts';
import { type Json, type Operation, operationsOf } from './openapi-operations.ts';
import type { WireRequest } from './raw-http.ts';

/** A request that is wrong in one or several ways, and their names. */
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

/** Requests against the operations of an OpenAPI description, each with something wrong. */
export function malformedRequest(description: Json, key: string): fc.Arbitrary<MalformedRequest> {
  const operations = operationsOf(description);
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
      segments: fc.array(NASTY_SEGMENTS, { minLength: 1, maxLength: 2 }),
      query: fc.array(fc.tuple(fc.nat(), NASTY_QUERY_VALUES), { maxLength: 3 }),
      mutations: fc.array(mutation, { maxLength: 3 }),
      wrapping: fc.oneof(
        { weight: 1, arbitrary: fc.constant('plain') },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(WRAPPINGS)) },
      ),
      method: seldom<string | null>(null, fc.constantFrom(...METHODS)),
      prefix: seldom('', fc.constantFrom('/api', '/api/api', '//', '/..', '/%2e')),
    })
    .map((drawn) => build(drawn.operation, drawn, key));
}

interface Draw {
  segments: string[];
  query: [number, string][];
  mutations: { place: number; how: string; value: unknown }[];
  wrapping: string;
  method: string | null;
  prefix: string;
}

function build(operation: Operation, draw: Draw, key: string): MalformedRequest {
  const segments = [...draw.segments];
  const path = operation.path.replaceAll(/\{\w+\}/g, () => segments.shift() ?? 'x');
  const names = [...operation.queryNames, 'unknown', 'limit[]', '__proto__'];
  const query = draw.query.map(([n, value]) => `${names[n % names.length]}=${value}`).join('&');
  const method = draw.method ?? operation.method;
  const wrapping = WRAPPINGS[draw.wrapping] ?? typed('application/json');
  const takesBody = operation.sample !== undefined && !['GET', 'HEAD', 'TRACE'].includes(method);
  const body = takesBody
    ? wrapping.wrap(Buffer.from(toJson(draw.mutations.reduce(mutate, operation.sample))))
    : null;
  return {
    method,
    path: `${draw.prefix}${path}${query === '' ? '' : `?${query}`}`,
    headers: ['Authorization', `Bearer ${key}`, ...(body ? wrapping.headers : [])],
    body,
    faults: `${draw.wrapping}; ${draw.mutations.map(({ how }) => how).join(', ')}`,
  };
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

/** Every field and element of a value, and the value itself as a place that nothing holds. */
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
