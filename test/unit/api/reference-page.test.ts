import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '#src/api/route.ts';
import { ROUTES } from '#src/api/routes/index.ts';
import { call, openTestApi, type TestApi } from './harness.ts';

type Json = Record<string, unknown>;
interface Plugin {
  fn: { resolveSubtree(spec: unknown, path: string[]): Promise<{ spec: Json; errors: unknown[] }> };
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson(original: null, system: object): (text: string) => void;
      };
    };
  };
}
interface Options {
  spec: Json;
  plugins: (() => Plugin)[];
}

/** No endpoint of ours has a schema that contains itself, but one may get it. */
const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});
const trees = defineRoute({
  method: 'POST',
  path: '/trees',
  summary: 'Plant a tree',
  tag: 'Test',
  family: 'platform',
  scope: 'any',
  body: tree,
  reply: tree,
  handle: ({ body }) => body,
});

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

let api: TestApi;
/** The description as the page gets it, and the text that makes it. */
let description: Json;
let descriptionScript: string;
/** What Swagger UI is started with. */
let options: Options;
let plugin: Plugin;

beforeAll(async () => {
  api = await openTestApi([...ROUTES, trees]);
  const page = (await call(api, '/docs')).text;
  const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map(([, address]) => `/${address}`);
  const texts = await Promise.all(scripts.map(async (one) => (await call(api, one)).text));
  const [first = '', viewer = '', start = ''] = texts;
  expect(viewer).toContain('SwaggerUIBundle');
  descriptionScript = first;
  const started: Options[] = [];
  const context = createContext({
    document: { currentScript: null },
    HTMLScriptElement: class {},
    SwaggerUIBundle: (given: Options) => {
      started.push(given);
      return { specActions: { updateUrl: () => undefined } };
    },
  });
  runInContext(first, context);
  runInContext(start, context);
  const [given] = started;
  if (!given) throw new Error('The page does not start Swagger UI.');
  options = given;
  description = given.spec;
  const [open] = given.plugins;
  if (!open) throw new Error('Swagger UI is started without a plugin.');
  plugin = open();
});
afterAll(() => api[Symbol.asyncDispose]());

const resolved = async (path: string[]): Promise<Json> => {
  const { spec, errors } = await plugin.fn.resolveSubtree(null, path);
  expect(errors).toEqual([]);
  return spec;
};

/** The paths of all endpoints and webhooks. */
function operations(): string[][] {
  return ['paths', 'webhooks'].flatMap((kind) =>
    Object.entries(description[kind] as Record<string, Json>).flatMap(([name, methods]) =>
      Object.keys(methods).map((method) => [kind, name, method]),
    ),
  );
}

function referencesIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, one]) => String(one));
}

describe('the reference page', () => {
  it('gets the description that /openapi.json serves, to the byte, at an address that is kept for good', async () => {
    const served = (await call(api, '/openapi.json')).text;
    const context = createContext({});
    const parsed = runInContext(
      `${descriptionScript};JSON.stringify(description)`,
      context,
    ) as string;
    expect(parsed).toBe(served);
    expect(descriptionScript).toContain(JSON.stringify(served));
    const page = (await call(api, '/docs')).text;
    const [address] = page.match(/docs\/assets\/description\.js\?v=[\w-]+/) ?? [];
    const { headers } = await call(api, `/${address}`);
    expect(headers.get('cache-control')).toBe('max-age=31536000, immutable');
  });

  it('spares Swagger UI to read it as YAML', () => {
    const taken: unknown[] = [];
    const specActions = { updateJsonSpec: (one: unknown) => void taken.push(one) };
    const { wrapActions } = plugin.statePlugins.spec;
    wrapActions.parseToJson(null, { specActions })('openapi: 3.1.0');
    expect(taken).toEqual([options.spec]);
    expect(taken[0]).toBe(options.spec);
  });

  it('shows each endpoint and webhook with all that it refers to', async () => {
    expect(operations().length).toBeGreaterThan(250);
    for (const path of operations()) {
      const operation = await resolved(path);
      expect(METHODS).toContain(path[2]);
      expect(operation['operationId']).toEqual(expect.any(String));
      const kept = path[1] === '/trees' ? [] : referencesIn(operation);
      expect([path, kept, JSON.stringify(operation).length < 100_000]).toEqual([path, [], true]);
    }
    expect(await resolved(['paths', '/search', 'post'])).toMatchObject({
      responses: {
        400: { description: 'BAD_REQUEST', content: { 'application/json': { schema: {} } } },
      },
    });
    expect(await resolved(['components', 'securitySchemes'])).toMatchObject({
      apiKey: { type: 'http', scheme: 'bearer' },
    });
    expect(await resolved(['paths', '/nowhere', 'get'])).toBeNull();
  });

  it('leaves a reference where a schema contains itself', async () => {
    const planted = await resolved(['paths', '/trees', 'post']);
    expect(planted).toMatchObject({
      requestBody: {
        content: {
          'application/json': {
            schema: {
              properties: {
                children: { items: { $ref: expect.stringContaining('postTrees') as unknown } },
              },
            },
          },
        },
      },
    });
  });
});
