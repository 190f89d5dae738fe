import { aimedAt, type Targets } from './malformed-targets.ts';
import { type Json, type Operation, operationsOf } from './openapi-operations.ts';
import type { WireRequest } from './raw-http.ts';

/** The most expensive request of one shape that a client may send to an operation. */
export interface WorstRequest {
  /** `POST /search`. */
  operation: string;
  /** What is expensive about it. */
  shape: string;
  /** Built when it is sent, because all of them together would fill the memory. */
  build: () => WireRequest;
}

/** A request head may have 16 KB; names and the host need some of it. */
const QUERY_BYTES = 12_000;
const PATH_BYTES = 6_000;
const DEEPEST = 100_000;

export interface WorstOptions {
  key: string;
  targets: Targets;
  /** Used where the description gives no limit. */
  defaultBytes: number;
}

/**
 * For every operation of an OpenAPI description, the requests that cause the most work within the limits of the route.
 */
export function worstRequests(description: Json, options: WorstOptions): WorstRequest[] {
  return operationsOf(description)
    .filter(({ path }) => path !== '/chat/delete-all-chat-sessions')
    .flatMap((operation) => [
      ...(operation.sample === undefined ? [] : bodiesOf(operation, description, options)),
      ...addressesOf(operation, options),
    ]);
}

function bodiesOf(operation: Operation, description: Json, options: WorstOptions): WorstRequest[] {
  const { method, path } = operation;
  const facts = description['paths'][path][method.toLowerCase()].requestBody;
  const limit = Number(facts['x-max-bytes'] ?? options.defaultBytes);
  const sample = aimedAt(options.targets, operation) as Json;
  const shapes = shapesOf(sample, limit);
  return Object.entries(shapes).map(([shape, write]) => ({
    operation: `${method} ${path}`,
    shape,
    build: () => ({
      method,
      path: addressOf(operation, options.targets),
      headers: headersOf(options, ['Content-Type', 'application/json']),
      body: Buffer.from(write()),
    }),
  }));
}

/** Text of a body of nearly `limit` bytes, by what is expensive about it. */
function shapesOf(sample: Json, limit: number): Record<string, () => string> {
  const room = limit - JSON.stringify(sample).length - 100;
  const fill = (piece: string, bytes = room) => piece.repeat(Math.floor(bytes / piece.length));
  const list = (piece: string, bytes = room) => `[${fill(`${piece},`, bytes)}${piece}]`;
  const keys = (bytes = room) =>
    Array.from({ length: Math.floor(bytes / 15) }, (_, n) => `"k${n.toString(36)}":"v"`).join(',');
  /** The sample with JSON in one field. */
  const withField = (name: string, json: string) => {
    const others = Object.entries(sample).filter(([key]) => key !== name);
    const rest = others.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
    return `{${JSON.stringify(name)}:${json}${rest.join('')}}`;
  };
  const shapes: Record<string, () => string> = {
    'numbers in an unknown field': () => withField('unknown', list('0')),
    'objects in an unknown field': () => withField('unknown', list('{"a":{}}')),
    'nesting in an unknown field': () => {
      const levels = Math.min(DEEPEST, room >> 1);
      return withField('unknown', '['.repeat(levels) + ']'.repeat(levels));
    },
    'unknown keys': () => `${JSON.stringify(sample).slice(0, -1)},${keys()}}`,
    'a list of objects': () => list('{}', limit - 100),
    'one string': () => `"${fill('a')}"`,
    'no JSON at its end': () => `${withField('unknown', list('{}')).slice(0, -1)}!`,
  };
  for (const [name, value] of Object.entries(sample)) {
    for (const [shape, json] of Object.entries(valuesLike(value, { fill, list, keys }))) {
      shapes[`${name}: ${shape}`] = () => withField(name, json());
    }
  }
  return shapes;
}

interface Fillers {
  fill: (piece: string) => string;
  list: (piece: string) => string;
  keys: () => string;
}

/** JSON for a field that usually has this value. */
function valuesLike(value: unknown, { fill, list, keys }: Fillers): Record<string, () => string> {
  const text = (piece: string) => () => `"${fill(piece)}"`;
  if (Array.isArray(value)) {
    const one = JSON.stringify(value[0] ?? 1);
    return {
      'as many as fit': () => list(one),
      'objects of a wrong kind': () => list('{"a":0}'),
    };
  }
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value as Json).find(([, part]) => Array.isArray(part));
    return {
      'as many keys as fit': () => `{${keys()}}`,
      'a list': () => list('{}'),
      ...(inner && {
        [`${inner[0]} of as many as fit`]: () => {
          const [name, part] = inner;
          const filled = list(JSON.stringify((part as unknown[])[0] ?? 1));
          return `${JSON.stringify({ ...(value as Json), [name]: null }).replace(`"${name}":null`, () => `"${name}":${filled}`)}`;
        },
      }),
    };
  }
  if (typeof value === 'number' || typeof value === 'boolean') return { digits: () => fill('1') };
  return {
    'a long word': text('a'),
    'many words': text('word '),
    'escaped letters': text('\\u00e9'),
    'ideographs and marks': text('字e\u0301'),
    NULs: text('\\u0000'),
    addresses: text('a@b.example, '),
  };
}

/** Requests with long query and path parameters, where the operation has some. */
function addressesOf(operation: Operation, options: WorstOptions): WorstRequest[] {
  const { method, path, queryNames, sample } = operation;
  const build = (address: string): WireRequest => ({
    method,
    path: address,
    headers: headersOf(options, sample === undefined ? [] : ['Content-Type', 'application/json']),
    body: sample === undefined ? null : Buffer.from('{}'),
  });
  const named = { operation: `${method} ${path}` };
  const base = addressOf(operation, options.targets);
  const share = Math.floor(QUERY_BYTES / Math.max(1, queryNames.length));
  const long = queryNames.map((name) => `${name}=${'a'.repeat(Math.max(1, share - name.length))}`);
  const repeated = `${queryNames[0] ?? 'x'}=1&`;
  const most = queryNames.filter((name) => /limit|size|count/.test(name));
  return [
    { ...named, shape: 'as it is', build: () => build(base) },
    ...[1_000, 200, 100].flatMap((limit) =>
      most.length === 0
        ? []
        : [
            {
              ...named,
              shape: `a page of ${limit}`,
              build: () => build(`${base}?${most.map((name) => `${name}=${limit}`).join('&')}`),
            },
          ],
    ),
    { ...named, shape: 'a long query', build: () => build(`${base}?${long.join('&')}`) },
    {
      ...named,
      shape: 'a query of many parts',
      build: () => build(`${base}?${repeated.repeat(Math.floor(QUERY_BYTES / repeated.length))}`),
    },
    ...(path.includes('{')
      ? [
          {
            ...named,
            shape: 'a long path',
            build: () => build(path.replaceAll(/\{\w+\}/g, 'a'.repeat(PATH_BYTES))),
          },
        ]
      : []),
  ];
}

function addressOf({ method, path }: Operation, targets: Targets): string {
  const first = path.split('/')[1] ?? '';
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    method === 'DELETE' ? '0' : String(targets[`${first}/${name}`] ?? targets[first] ?? '0'),
  );
}

function headersOf({ key }: WorstOptions, more: string[]): string[] {
  return ['Authorization', `Bearer ${key}`, ...more];
}
