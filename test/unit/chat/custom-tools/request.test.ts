import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRequest } from '#src/chat/custom-tools/build-request.ts';
import { checkArguments } from '#src/chat/custom-tools/check-arguments.ts';
import type { Operation } from '#src/chat/custom-tools/operation.ts';
import { readOpenApi } from '#src/chat/custom-tools/read-openapi.ts';
import { readOperations } from '#src/chat/custom-tools/read-operations.ts';
import { schemaForModel } from '#src/chat/custom-tools/tool-schema.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const BASE = 'https://api.example.com/v1';

function operationOf(path: string, method: string, spec: Record<string, unknown>): Operation {
  const { upgraded } = readOpenApi({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    servers: [{ url: `${BASE}/` }],
    paths: { [path]: { [method]: spec } },
  });
  const [operation] = readOperations(upgraded);
  if (!operation) throw new Error('There is no operation.');
  return operation;
}

const inPath = (name: string, more: object = {}) => ({ name, in: 'path', required: true, ...more });
const byId = operationOf('/orders/{id}', 'get', { parameters: [inPath('id')] });
const withQuery = (parameter: object) =>
  operationOf('/q', 'get', { parameters: [{ name: 'q', in: 'query', ...parameter }] });
const withBody = (mediaType: string, schema: object = {}) =>
  operationOf('/b', 'post', {
    requestBody: { required: true, content: { [mediaType]: { schema } } },
  });

describe('a path argument', () => {
  it.each([
    ['../admin', '..%2Fadmin'],
    ['..\\admin', '..%5Cadmin'],
    ['a/b', 'a%2Fb'],
    ['a?b=c#d', 'a%3Fb%3Dc%23d'],
    ['%2e%2e', '%252e%252e'],
    ['%2F', '%252F'],
    ['a;b:c@d,e', 'a%3Bb%3Ac%40d%2Ce'],
    ['//evil.example', '%2F%2Fevil.example'],
    ['é 🙂', '%C3%A9%20%F0%9F%99%82'],
    ['\uD800', '%EF%BF%BD'],
    ['a\r\nX: y', 'a%0D%0AX%3A%20y'],
    [7, '7'],
    [true, 'true'],
    [['a', 'b/c'], 'a,b%2Fc'],
  ])('%j stays one segment', (id, segment) => {
    const { url } = buildRequest(byId, { id });
    expect(url).toBe(`${BASE}/orders/${segment}`);
    expect(new URL(url).pathname.split('/')).toHaveLength(4);
  });

  it.each(['.', '..', '', [], ['']])('%j is refused as a path step', (id) => {
    expect(() => buildRequest(byId, { id })).toThrow(ToolFailed);
  });

  it('cannot form a path step together with its neighbor', () => {
    const two = operationOf('/files/{a}{b}', 'delete', { parameters: [inPath('a'), inPath('b')] });
    expect(() => buildRequest(two, { a: '.', b: '.' })).toThrow(/must not be "\." or "\.\."/);
  });

  it('never leaves its segment, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
        if (id === '.' || id === '..') return;
        const url = new URL(buildRequest(byId, { id }).url);
        expect(url.origin).toBe('https://api.example.com');
        expect(url.pathname).toMatch(/^\/v1\/orders\/[^/]+$/);
        expect(url.search + url.hash + url.username).toBe('');
        expect(decodeURIComponent(url.pathname.slice('/v1/orders/'.length))).toBe(
          id.toWellFormed(),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('a query argument', () => {
  it.each<[object, unknown, string]>([
    [{}, 'a&b=c#d', '?q=a%26b%3Dc%23d'],
    [{}, '', '?q='],
    [{}, 0, '?q=0'],
    [{}, false, '?q=false'],
    [{}, null, ''],
    [{}, ['a', 'b&c'], '?q=a&q=b%26c'],
    [{ explode: false }, ['a', 'b,c'], '?q=a,b%2Cc'],
    [{ style: 'spaceDelimited', explode: false }, ['a', 'b'], '?q=a%20b'],
    [{ style: 'pipeDelimited', explode: false }, ['a', 'b'], '?q=a%7Cb'],
    [{ style: 'deepObject', explode: true }, { a: 1, b: 'x y' }, '?q%5Ba%5D=1&q%5Bb%5D=x%20y'],
    [{}, { a: 1, b: 2 }, '?a=1&b=2'],
    [{ explode: false }, { a: 1, b: 2 }, '?q=a,1,b,2'],
    [{ content: { 'application/json': {} } }, { a: [1] }, '?q=%7B%22a%22%3A%5B1%5D%7D'],
  ])('with %j as %j is %j', (parameter, q, query) => {
    expect(buildRequest(withQuery(parameter), { q }).url).toBe(`${BASE}/q${query}`);
  });

  it('is omitted when missing', () => {
    expect(buildRequest(withQuery({}), {}).url).toBe(`${BASE}/q`);
  });

  it('that makes the URL too long is refused', () => {
    expect(() => buildRequest(withQuery({}), { q: 'x'.repeat(20_000) })).toThrow(/too long/);
  });

  it('is distinguished from a path argument of the same name', () => {
    const both = operationOf('/a/{id}', 'post', {
      parameters: [inPath('id'), { name: 'id', in: 'query' }, { name: 'body', in: 'query' }],
      requestBody: { content: { 'application/json': {} } },
    });
    expect(Object.keys(both.schema['properties'] as object)).toEqual([
      'id',
      'query_id',
      'body',
      'request_body',
    ]);
    const request = buildRequest(both, { id: 'p', query_id: 'q', body: 'b', request_body: [1] });
    expect(request).toMatchObject({ url: `${BASE}/a/p?id=q&body=b`, body: '[1]' });
  });
});

describe('a body', () => {
  it.each<[string, unknown, string]>([
    ['application/json', { a: 'ä\n' }, '{"a":"ä\\n"}'],
    ['application/merge-patch+json', [1], '[1]'],
    ['application/x-www-form-urlencoded', { a: 'x y&z', b: [1, 2], c: null }, 'a=x+y%26z&b=1&b=2'],
    ['text/plain', 'as it is', 'as it is'],
    ['text/plain', { a: 1 }, '{"a":1}'],
  ])('of type %s is encoded accordingly', (mediaType, body, written) => {
    expect(buildRequest(withBody(mediaType), { body })).toEqual({
      url: `${BASE}/b`,
      method: 'POST',
      body: written,
      mediaType,
    });
  });

  it('of a form must be an object', () => {
    const form = withBody('application/x-www-form-urlencoded');
    expect(() => buildRequest(form, { body: 'a=b' })).toThrow(ToolFailed);
  });

  it('is never requested for a GET', () => {
    const get = operationOf('/b', 'get', { requestBody: { content: { 'application/json': {} } } });
    expect(get.body).toBeNull();
  });
});

describe('arguments', () => {
  const operation = operationOf('/orders/{id}', 'put', {
    parameters: [
      inPath('id', { schema: { type: 'string', minLength: 2 } }),
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
      { name: 'status', in: 'query', schema: { type: 'string', enum: ['open', 'sent'] } },
      { name: 'any', in: 'query', schema: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['item'],
            properties: {
              item: { type: 'string' },
              tags: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      },
    },
  });
  const right = { id: 'ab', body: { item: 'x' } };

  it.each<[string, unknown, string]>([
    ['a text', 'x', 'JSON object'],
    ['a list', [], 'JSON object'],
    ['nothing', null, 'JSON object'],
    ['a missing path argument', { body: right.body }, 'id'],
    ['a missing body', { id: 'ab' }, 'body'],
    ['a missing field of the body', { id: 'ab', body: {} }, 'body.item'],
    ['a list with an invalid item', { ...right, body: { item: 'x', tags: [1] } }, 'body.tags[0]'],
    ['a number given as text', { ...right, limit: '5' }, 'limit'],
    ['a fraction', { ...right, limit: 1.5 }, 'limit'],
    ['a number that is too large', { ...right, limit: 51 }, 'limit'],
    ['a text that is too short', { ...right, id: 'a' }, 'id'],
    ['a value outside the enum', { ...right, status: 'lost' }, 'status'],
    ['a value of none of the allowed types', { ...right, any: true }, 'any'],
    ['an unknown argument', { ...right, headers: { host: 'evil' } }, 'headers'],
    ['a header', { ...right, authorization: 'Bearer x' }, 'authorization'],
  ])('with %s are refused by name', (_, input, words) => {
    const check = () => checkArguments(operation.schema, input);
    expect(check).toThrow(ToolFailed);
    expect(check).toThrow(words);
  });

  it('that are valid pass unchanged', () => {
    for (const more of [{}, { limit: 50, status: 'open', any: 3 }, { any: 'x' }]) {
      const input = { ...right, ...more };
      expect(checkArguments(operation.schema, input)).toBe(input);
    }
  });

  it('nested too deeply are refused', () => {
    const body: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    expect(() => checkArguments({ type: 'object' }, { body })).toThrow(/nested more than/);
  });

  it('are checked quickly even against a pattern with catastrophic backtracking', () => {
    const schema = schemaForModel(
      { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
      {},
    );
    const input = { a: `${'a'.repeat(100)}!` };
    expect(cpuMsOf(() => checkArguments(schema, input))).toBeLessThan(1_000);
  });

  it.each<[string, unknown]>([
    ['not', { not: { type: 'string' } }],
    ['if', { if: {}, else: {} }],
    ['an unknown type', { type: 'file' }],
    ['an unknown type in a list', { type: ['text'] }],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }],
    ['an empty union', { anyOf: [] }],
    ['an empty enum', { enum: [] }],
    ['an enum of objects', { enum: [{ a: 1 }] }],
    ['wrong limits', { minLength: 'x', maximum: null, required: 'a' }],
    ['a wrong property', { properties: { a: 'x' } }],
    ['several types', { type: ['string', 'null', 'integer'] }],
    ['a schema that is just true', true],
  ])('pass where the schema cannot be checked: %s', (_, inner) => {
    const schema = schemaForModel({ type: 'object', properties: { x: inner } }, {});
    expect(checkArguments(schema, { x: 'b' })).toEqual({ x: 'b' });
  });
});
