import { describe, expect, it } from 'vitest';
import { presentMethods } from '#src/chat/custom-tools/present-methods.ts';
import { MAX_DEFINITION_BYTES, readOpenApi } from '#src/chat/custom-tools/read-openapi.ts';
import { readOperations } from '#src/chat/custom-tools/read-operations.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const operationsOf = (definition: unknown) => readOperations(readOpenApi(definition).upgraded);

/** One operation in an otherwise valid document. */
const documentWith = (changes: Record<string, unknown>) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/a': { get: { operationId: 'a', responses: {} } } },
  ...changes,
});
const withOperation = (operation: unknown, path = '/a') =>
  documentWith({ paths: { [path]: { post: operation } } });
const withServer = (server: unknown) => documentWith({ servers: [server] });
const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('an OpenAPI document', () => {
  it.each<[string, unknown, string]>([
    ['that is a list', [], 'body.definition: must be an OpenAPI document'],
    ['that is empty text', '', 'body.definition: must be an OpenAPI document'],
    ['that is broken JSON', '{"openapi": ', 'body.definition: must be an OpenAPI document'],
    ['that is broken YAML', 'openapi: "3.0.0\npaths: [', 'is neither JSON nor YAML'],
    ['that is a JSON number', '7', 'must be an OpenAPI document'],
    ['without a version', { paths: {} }, 'body.definition.openapi: must be "3.0.x"'],
    ['of version 2.0 in the wrong key', { openapi: '2.0' }, 'body.definition.openapi'],
    ['of version 4', { openapi: '4.0.0' }, 'body.definition.openapi'],
    ['whose version is a number', { openapi: 3.1 }, 'body.definition.openapi'],
    ['without paths', documentWith({ paths: {} }), 'body.definition.paths: must hold at least one'],
    ['whose paths are a list', documentWith({ paths: [1] }), 'body.definition.paths'],
    ['without operations', documentWith({ paths: { '/a': {} } }), 'holds no operation'],
    ['with an operation that is text', withOperation('x'), 'paths./a.post: must be an operation'],
    ['with a path without a slash', withOperation({}, 'a'), 'must begin with /'],
    ['with a path with a query', withOperation({}, '/a?b=c'), 'must begin with /'],
    ['with a path that steps up', withOperation({}, '/a/../b'), 'must begin with /'],
    ['with a path that steps up in disguise', withOperation({}, '/%2E%2e/b'), 'must begin with /'],
    ['whose path does not name its parameter', withOperation({}, '/a/{id}'), '"name": "id"'],
    [
      'with an id that is no text',
      withOperation({ operationId: 1 }),
      'operationId: must be a text',
    ],
    [
      'with a parameter without a name',
      withOperation({ parameters: [{ in: 'query' }] }),
      'parameters[0]: must have a name',
    ],
    [
      'with a parameter that is not there',
      withOperation({ parameters: [{ $ref: '#/components/parameters/no' }] }),
      'parameters[0]: must be a parameter',
    ],
    [
      'with parameters that are no list',
      withOperation({ parameters: { a: 1 } }),
      'parameters: must be a list',
    ],
    [
      'with a missing schema',
      withOperation({
        parameters: [{ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/No' } }],
      }),
      'refers to something that is not in the document',
    ],
    [
      'with a missing body',
      withOperation({ requestBody: { $ref: '#/nowhere' } }),
      'requestBody: must have a content',
    ],
    ['without servers', documentWith({ servers: undefined }), 'servers: must name the address'],
    ['with a relative server', withServer({ url: '/v1' }), 'absolute address'],
    ['with an FTP server', withServer({ url: 'ftp://a.example' }), 'absolute address'],
    ['with a file as server', withServer({ url: 'file:///etc/passwd' }), 'absolute address'],
    ['with a password in its server', withServer({ url: 'https://a:b@c.example' }), 'password'],
    ['with a mail port', withServer({ url: 'http://a.example:25' }), 'port 25'],
    ['with a query in its server', withServer({ url: 'https://a.example/?k=v' }), 'without ?'],
    [
      'with a variable without default',
      withServer({ url: 'https://{region}.example' }),
      'names the variable {region}',
    ],
    [
      'with a server as a trap',
      withServer({ url: 'https://{__proto__}.example' }),
      'names the variable {__proto__}',
    ],
    ['with a NUL', documentWith({ 'x-nul': 'a\0' }), 'holds NUL'],
    ['with half a surrogate pair', documentWith({ 'x-half': '\\\uD800' }), 'holds NUL or half'],
    ['that is nested too deeply', documentWith({ 'x-deep': nested(500) }), 'nested more than 64'],
    [
      'that is too large',
      documentWith({ 'x-large': 'x'.repeat(MAX_DEFINITION_BYTES) }),
      'larger than 500000 bytes',
    ],
    ['that is too long as text', `a: ${'x'.repeat(MAX_DEFINITION_BYTES)}`, 'larger than 500000'],
    [
      'with 101 operations',
      documentWith({
        paths: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`/${n}`, { get: {} }])),
      }),
      'more than 100 operations',
    ],
  ])('%s is refused with the location of the error', (_, definition, words) => {
    const read = () => presentMethods(definition);
    expect(read).toThrow(expect.objectContaining({ name: 'Problem', code: 'BAD_REQUEST' }));
    expect(read).toThrow(words);
  });

  it.each([
    'http://169.254.169.254/latest#/a',
    'https://specs.example/shop.yaml',
    'file:///etc/passwd',
    './other.yaml#/a',
    '//specs.example/a',
    '',
  ])('that refers to %j anywhere is refused', (reference) => {
    const places: Record<string, unknown>[] = [
      { components: { schemas: { A: { $ref: reference } } } },
      { paths: { '/a': { $ref: reference } } },
      { paths: { '/a': { get: { parameters: [{ $ref: reference }] } } } },
    ];
    for (const place of places) {
      expect(() => readOpenApi(documentWith(place))).toThrow(/\$ref: refers to another file or/);
    }
  });

  it('in YAML with exponentially expanding aliases is refused quickly', () => {
    const lines = ['openapi: 3.1.0', 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 12; n += 1) {
      lines.push(
        `a${n}: &a${n} [${Array(10)
          .fill(`*a${n - 1}`)
          .join(', ')}]`,
      );
    }
    const cpuMs = cpuMsOf(() => {
      expect(() => readOpenApi(lines.join('\n'))).toThrow(/holds more than|neither JSON nor YAML/);
    });
    expect(cpuMs).toBeLessThan(5_000);
  });

  it('with circular objects and references is read', () => {
    const schemas = {
      Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
    };
    const body = (name: string) => ({
      operationId: name,
      requestBody: {
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
    });
    const [node, circle] = operationsOf(
      documentWith({
        components: { schemas },
        paths: { '/a': { post: body('Node') }, '/b': { post: body('A') } },
      }),
    );
    expect(node?.schema['properties']).toEqual({
      body: { type: 'object', properties: { next: { type: 'object' } } },
    });
    expect(circle?.schema['properties']).toEqual({ body: {} });
  });

  it('with exponentially expanding references is reduced to a schema of bounded length', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `S${n}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 10 }, (__, p) => [
              `p${p}`,
              { $ref: `#/components/schemas/S${n + 1}` },
            ]),
          ),
        },
      ]),
    );
    const [operation] = operationsOf(
      documentWith({
        components: { schemas: { ...schemas, S30: { type: 'string' } } },
        paths: {
          '/a': {
            post: {
              requestBody: {
                content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } },
              },
            },
          },
        },
      }),
    );
    expect(JSON.stringify(operation?.schema).length).toBeLessThanOrEqual(6_000);
    expect(operation?.schema).toMatchObject({
      type: 'object',
      properties: { body: { type: 'object' } },
      additionalProperties: false,
    });
  });

  it('of Swagger 2.0 is upgraded', () => {
    const [operation] = operationsOf({
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'old.example',
      basePath: '/v1',
      schemes: ['https'],
      paths: {
        '/p': {
          post: {
            operationId: 'put',
            parameters: [{ in: 'body', name: 'b', required: true, schema: { type: 'object' } }],
            responses: { 200: { description: 'ok' } },
          },
        },
      },
    });
    expect(operation).toMatchObject({
      name: 'put',
      baseUrl: 'https://old.example/v1',
      body: { format: 'json', argument: 'body' },
    });
  });

  it('as YAML reads the same as the object', () => {
    const yaml =
      'openapi: 3.1.0\ninfo: {title: T, version: "1"}\nservers: [{url: https://api.example.com}]\npaths:\n  /a:\n    get: {operationId: a, responses: {}}\n';
    expect(presentMethods(yaml)).toEqual(presentMethods(documentWith({})));
    expect(presentMethods(JSON.stringify(documentWith({})))).toEqual(presentMethods(yaml));
  });
});
