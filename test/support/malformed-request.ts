import zlib from 'node:zlib';
import fc from 'fast-check';
import type { WireRequest } from './raw-http.ts';

type Json = { [key: string]: any };

/** One operation of `/openapi.json`. */
interface Operation {
  method: string;
  path: string;
  queryNames: string[];
  /** A body that its schema accepts; undefined when it takes none. */
  sample: unknown;
}

/** A request that is wrong in one or several ways, and their names. */
export interface MalformedRequest extends WireRequest {
  faults: string;
}

/** Stands for text that `JSON.stringify` would not write, such as numbers beyond a double. */
const RAW = 'raw-json:';

const deep = (levels: number, open: string, close: string) =>
  `${RAW}${open.repeat(levels)}${close.repeat(levels)}`;

const NASTY_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    -0,
    2 ** 31,
    2 ** 40,
    2 ** 53,
    1e308,
    -1e308,
    `${RAW}1e999`,
    `${RAW}-1e999`,
    `${RAW}${'9'.repeat(400)}`,
    'NaN',
    'Infinity',
    '',
    ' ',
    '\0',
    '\0\0abc',
    '\uD800',
    'a\uDFFFb',
    '\u202E\uFEFF',
    '\u0001\u0002\u001B[2J',
    'x'.repeat(100_000),
    '字'.repeat(40_000),
    "'; drop table document; --",
    '../../etc/passwd',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:00',
    '2020-02-30T25:61:61Z',
    [],
    [[]],
    {},
    Array.from({ length: 3_000 }, (_, index) => index),
    deep(5_000, '[', ']'),
    deep(5_000, '{"a":', '}').replace('}', '1}'),
    `${RAW}{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`,
  ),
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
);

const NASTY_SEGMENTS = fc.oneof(
  fc.constantFrom(
    '%',
    '%ZZ',
    '%00',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5c..%5cwindows',
    '../../../etc/passwd',
    '%ED%A0%80',
    '%C0%AF',
    '%FF',
    '\u00ff\u0080',
    'a'.repeat(9_000),
    '%F0%9F%92%A9',
    '-1',
    '1e999',
    'NaN',
    'null',
    '__proto__',
    'constructor',
    '{document_id}',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    "'%20or%201=1--",
    ';a=b',
    '',
    '.',
    '..',
    '*',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }).map(encode),
);

const NASTY_QUERY_VALUES = fc.oneof(
  fc.constantFrom('', '-1', '0', '1.5', '1e999', 'NaN', 'Infinity', '%00', '%ZZ', '%FF', 'null'),
  fc.constantFrom('x'.repeat(5_000), '[]', '{}', '0x10', '99999999999999999999', 'zzzzzzzzzzz', '+'),
  fc.string({ unit: 'binary', maxLength: 100 }).map(encode),
);

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Percent-encodes what can be, and drops half surrogate pairs, which cannot. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

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
  const mutation = fc.record({
    place: fc.nat(),
    how: fc.constantFrom('replace', 'remove', 'wrap', 'rename'),
    value: NASTY_VALUES,
  });
  return fc
    .record({
      operation: fc.constantFrom(...operations),
      segments: fc.array(NASTY_SEGMENTS, { minLength: 1, maxLength: 2 }),
      query: fc.array(fc.tuple(fc.nat(), NASTY_QUERY_VALUES), { maxLength: 3 }),
      mutations: fc.array(mutation, { maxLength: 3 }),
      wrapping: fc.oneof(
        { weight: 2, arbitrary: fc.constant('plain') },
        { weight: 3, arbitrary: fc.constantFrom(...Object.keys(WRAPPINGS)) },
      ),
      method: fc.option(fc.constantFrom(...METHODS), { freq: 5 }),
      prefix: fc.constantFrom('', '', '', '/api', '/api/api', '//', '/..', '/%2e'),
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

function toJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replaceAll(new RegExp(`"${RAW}((?:[^"\\\\]|\\\\.)*)"`, 'g'), (_, raw: string) =>
    raw.replaceAll('\\"', '"'),
  );
}

function operationsOf(description: Json): Operation[] {
  return Object.entries(description['paths'] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => {
      const schema: unknown = operation.requestBody?.content?.['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        path,
        queryNames: (operation.parameters as Json[])
          .filter((one) => one['in'] === 'query')
          .map((one) => String(one['name'])),
        sample: schema === undefined ? undefined : sampleOf(schema as Json, description, 0),
      };
    }),
  );
}

/** A value that a JSON Schema accepts, with every optional field, as far as eight levels go. */
function sampleOf(schema: Json, description: Json, depth: number): unknown {
  if (depth > 8) return null;
  const inner = (one: Json) => sampleOf(one, description, depth + 1);
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].replace('#/components/schemas/', '');
    return inner(description['components'].schemas[name]);
  }
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const branches: unknown = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'];
  if (Array.isArray(branches)) return inner(branches[0]);
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Json).map(([name, one]) => [name, inner(one)]),
      );
    case 'array':
      return [inner((schema['items'] ?? {}) as Json)];
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return false;
    default:
      return 'anything';
  }
}

function stringOf({ format }: Json): string {
  if (format === 'date-time') return '2024-01-01T00:00:00Z';
  if (format === 'uuid') return '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
  return 'file';
}
