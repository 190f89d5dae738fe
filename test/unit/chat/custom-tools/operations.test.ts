import { describe, expect, it } from 'vitest';
import { presentMethods } from '#src/chat/custom-tools/present-methods.ts';
import { readOpenApi } from '#src/chat/custom-tools/read-openapi.ts';
import { readOperations } from '#src/chat/custom-tools/read-operations.ts';
import { shopDocument } from '#test/support/fake-openapi-service.ts';

const operationsOf = (definition: unknown) => readOperations(readOpenApi(definition).upgraded);

/** One operation in an otherwise valid document. */
const documentWith = (changes: Record<string, unknown>) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/a': { get: { operationId: 'a', responses: {} } } },
  ...changes,
});

describe('an OpenAPI document', () => {
  it('is listed by method with names that models accept', () => {
    const methods = presentMethods(shopDocument('https://shop.example'));
    expect(methods.map(({ name, method, path }) => [name, method, path])).toEqual([
      ['listOrders', 'get', '/orders'],
      ['createOrder', 'post', '/orders'],
      ['get_order', 'get', '/orders/{id}'],
      ['delete_orders_id', 'delete', '/orders/{id}'],
    ]);
    expect(methods[0]).toMatchObject({
      summary: 'Lists orders',
      server_url: 'https://shop.example/v1',
      spec: { operationId: 'listOrders' },
      parameters: {
        type: 'object',
        properties: {
          status: { type: 'string', enum: ['open', 'sent'] },
          limit: { type: 'integer', minimum: 1, maximum: 50 },
        },
        required: [],
        additionalProperties: false,
      },
    });
    expect(methods[1]?.parameters).toMatchObject({
      required: ['body'],
      properties: {
        body: { required: ['item'], properties: { note: { type: ['string', 'null'] } } },
      },
    });
  });

  it('may contain surrogate pairs, control characters and backslashes', () => {
    const description = '🙂 \\u0000 \\\\ud800 \t\u0001';
    const paths = { '/a': { get: { description } } };
    expect(operationsOf(documentWith({ paths }))[0]?.description).toBe(description);
  });

  it('shows no header or cookie parameters to the model', () => {
    const [first] = presentMethods(shopDocument('https://shop.example'));
    expect(JSON.stringify(first?.parameters)).not.toContain('X-Tenant');
  });

  it('gives no operation the name of a built-in tool or of another operation', () => {
    const ids = [
      'internal_search',
      'Python',
      'a',
      'A',
      'a',
      'öffne das!',
      '',
      '🙂',
      'x'.repeat(99),
    ];
    const paths = Object.fromEntries(
      ids.map((operationId, n) => [`/${n}`, { get: { operationId } }]),
    );
    const names = operationsOf(documentWith({ paths })).map(({ name }) => name);
    expect(names).toEqual([
      'internal_search_2',
      'Python_2',
      'a',
      'A_2',
      'a_3',
      'offne_das',
      'get_6',
      'tool',
      'x'.repeat(64),
    ]);
  });

  it('skips operations that require an unsupported body type', () => {
    const upload = { content: { 'multipart/form-data': { schema: {} } }, required: true };
    const names = presentMethods(
      documentWith({
        paths: {
          '/up': { post: { operationId: 'up', requestBody: upload } },
          '/ok': { post: { operationId: 'ok', requestBody: { ...upload, required: false } } },
        },
      }),
    ).map(({ name }) => name);
    expect(names).toEqual(['ok']);
  });

  it('prefers the server of an operation over those of its path and the document', () => {
    const server = (url: string) => [{ url }];
    const operations = operationsOf(
      documentWith({
        paths: {
          '/a': {
            servers: server('https://path.example/'),
            get: { servers: server('https://own.example:8443'), operationId: 'own' },
            post: { operationId: 'path' },
          },
          '/b': { get: { operationId: 'document' } },
        },
      }),
    );
    expect(operations.map(({ baseUrl }) => baseUrl)).toEqual([
      'https://own.example:8443',
      'https://path.example',
      'https://api.example.com',
    ]);
  });
});
