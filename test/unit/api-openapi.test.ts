import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentationRoutes } from '#src/api/documentation.ts';
import { describeApi } from '#src/api/openapi.ts';
import { defineRoute } from '#src/api/route.ts';
import { ROUTES } from '#src/api/routes/index.ts';

interface Described {
  openapi: string;
  paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string }[] }>
  >;
  components: { schemas: Record<string, unknown> };
}

const routes = [...ROUTES, ...documentationRoutes(ROUTES)];
const describeRoutes = (described = routes) =>
  describeApi(described, { version: '1', serverUrl: '/' }) as unknown as Described;

describe('the API description', () => {
  it('holds every route once, each with an operationId of its own', () => {
    const { openapi, paths } = describeRoutes();
    expect(openapi).toBe('3.1.0');
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      routes.map((route) => `${route.method} ${route.path}`).toSorted(),
    );
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('describes every parameter of every path', () => {
    const { paths } = describeRoutes();
    for (const [path, methods] of Object.entries(paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
      for (const operation of Object.values(methods)) {
        const described = operation.parameters.filter((parameter) => parameter.in === 'path');
        expect(described.map((parameter) => parameter.name).toSorted()).toEqual(names.toSorted());
      }
    }
  });

  it('joins no schemas that exclude what the other demands', () => {
    const joined: unknown[] = [];
    JSON.stringify(describeRoutes(), (key, value: unknown) => {
      if (key === 'allOf') joined.push(value);
      return value;
    });
    expect(
      joined.filter((one) => JSON.stringify(one).includes('"additionalProperties":false')),
    ).toEqual([]);
  });

  it('refers only to schemas that it holds', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const recursive = defineRoute({
      method: 'POST',
      path: '/trees',
      summary: 'Recursive',
      tag: 'Test',
      family: 'platform',
      scope: 'any',
      body: tree,
      reply: z.object({ forest: z.array(tree) }),
      handle: () => ({ forest: [] }),
    });
    const document = describeRoutes([...routes, recursive]);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, one]) => one,
    );
    expect(references.length).toBeGreaterThan(3);
    const known = Object.keys(document.components.schemas).map(
      (name) => `#/components/schemas/${name}`,
    );
    expect(references.filter((reference) => !known.includes(reference ?? ''))).toEqual([]);
  });
});
