import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { planOrHigher } from '#src/billing/plans.ts';
import type { ProblemCode } from '#src/platform/errors.ts';
import { describeWebhooks } from './openapi-webhooks.ts';
import { STATUS_OF_CODE } from './problem.ts';
import type { Route } from './route.ts';

type Json = { [key: string]: unknown };
type Side = 'input' | 'output';

const ERROR_EXAMPLE = {
  error_code: 'BAD_REQUEST',
  detail: 'body.name: Invalid input: expected string, received number',
  request_id: '5f0c7d1e-8f1b-4c56-9a53-0f3c1b9e7a41',
};

const SCOPE_TEXT: Readonly<Record<Route['scope'], string>> = {
  public: 'No API key.',
  any: 'Any API key.',
  read: 'An API key with the role admin, member or read.',
  ingest: 'An API key with the role admin, member or ingest.',
  'read-or-ingest': 'An API key with the role admin, member, ingest or read.',
  member: 'An API key with the role admin or member.',
  admin: 'An API key with the role admin.',
  'bootstrap-admin': 'An admin API key of the bootstrap workspace.',
  'operator-read': 'An API key of the bootstrap workspace with the role admin or observer.',
};

export interface ApiFacts {
  version: string;
  serverUrl: string;
}

/** Routes described before yielding to other requests: all of them take 150 ms. */
const ROUTES_AT_ONCE = 20;

/**
 * The OpenAPI 3.1 description of the routes, from the schemas that validate them.
 * @throws Error when a schema cannot be written as JSON Schema
 */
export async function describeApi(
  routes: readonly Route[],
  { version, serverUrl }: ApiFacts,
): Promise<Json> {
  const schemas = new ComponentSchemas();
  const paths: Record<string, Json> = {};
  for (const [index, route] of routes.entries()) {
    if (index % ROUTES_AT_ONCE === 0) await setImmediate();
    paths[route.path] ??= {};
    Object.assign(paths[route.path] ?? {}, {
      [route.method.toLowerCase()]: operation(route, schemas),
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      description:
        'Documents in, cited answers out. Every path also answers under the prefix /api.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      responses: problemResponses(),
      schemas: { Error: errorSchema(), ...schemas.collected },
    },
  };
}

function operation(route: Route, schemas: ComponentSchemas): Json {
  const id = operationId(route);
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, SCOPE_TEXT[route.scope], planText(route)]
      .filter(Boolean)
      .join('\n\n'),
    ...(route.plan === null ? {} : { 'x-plan': route.plan }),
    ...(route.scope === 'public' ? { security: [] } : {}),
    parameters: [
      ...parameters(route, 'path', route.params, schemas),
      ...parameters(route, 'query', route.query, schemas),
      ...route.requestHeaders.map((header) => ({
        ...header,
        in: 'header',
        schema: { type: 'string' },
      })),
    ],
    ...(route.body || route.rawBody ? { requestBody: requestBody(route, id, schemas) } : {}),
    responses: {
      [route.status]: { description: 'Success', content: replyContent(route, id, schemas) },
      ...laterResponse(route, id, schemas),
      ...errorResponses(route),
    },
  };
}

function planText({ plan }: Route): string {
  return plan === null ? '' : `The workspace needs ${planOrHigher(plan)}.`;
}

/** `get /account/api-keys/{id}` → `getAccountApiKeysById` */
function operationId(route: Route): string {
  const words = route.path
    .replaceAll(/\{(\w+)\}/g, 'by $1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return `${route.method.toLowerCase()}${name || 'Root'}`;
}

function parameters(
  route: Route,
  place: 'path' | 'query',
  schema: z.ZodType | null,
  schemas: ComponentSchemas,
): Json[] {
  if (schema === null) return [];
  const written = schemas.write(schema, 'input', operationId(route));
  const required = Array.isArray(written.required) ? written.required : [];
  return Object.entries(asObject(written.properties)).map(([name, property]) => {
    // The page shows the description of a parameter, not that of its schema.
    const { description, ...rest } = asObject(property);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(typeof description === 'string' && { description }),
      schema: rest,
    };
  });
}

function requestBody(route: Route, id: string, schemas: ComponentSchemas): Json {
  const schema = route.body ? schemas.write(route.body, 'input', `${id}Body`) : {};
  const optional = route.body?.safeParse(undefined).success ?? false;
  const { bytes } = route.bodyLimits;
  return {
    required: !optional,
    ...(bytes === null || route.rawBody ? {} : { 'x-max-bytes': bytes }),
    content: contentOf(route.accepts, schema),
  };
}

function laterResponse({ laterReply }: Route, id: string, schemas: ComponentSchemas): Json {
  if (laterReply === null) return {};
  const schema = schemas.write(laterReply, 'output', `${id}LaterReply`);
  return {
    202: {
      description: 'Not finished yet: it goes on, and status_url tells how.',
      headers: { Location: { description: 'As status_url.', schema: { type: 'string' } } },
      content: contentOf(['application/json'], schema),
    },
  };
}

function replyContent(route: Route, id: string, schemas: ComponentSchemas): Json {
  return contentOf(route.produces, schemas.write(route.reply, 'output', `${id}Reply`));
}

/** Media types that the schema describes; it treats other bodies as text. */
const DESCRIBED = new Set(['application/json', 'multipart/form-data']);

function contentOf(mediaTypes: readonly string[], schema: Json): Json {
  return Object.fromEntries(
    mediaTypes.map((mediaType) => [
      mediaType,
      { schema: DESCRIBED.has(mediaType) ? schema : { type: 'string' } },
    ]),
  );
}

function errorResponses(route: Route): Json {
  const codes: ProblemCode[] = ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', ...route.errors];
  if (route.scope !== 'public')
    codes.push('UNAUTHENTICATED', 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED');
  if (route.params || route.query || route.body || route.rawBody) codes.push('BAD_REQUEST');
  if (route.params) codes.push('NOT_FOUND');
  if (route.body || route.rawBody) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return Object.fromEntries(
    [...new Set(codes)].map((code) => [
      STATUS_OF_CODE[code],
      { $ref: `#/components/responses/${code}` },
    ]),
  );
}

/** Every route refers to these: inlining them would double the size of the description. */
function problemResponses(): Json {
  return Object.fromEntries(
    Object.keys(STATUS_OF_CODE).map((code) => {
      const detail = 'What was wrong, where, and what to do.';
      const schema = { $ref: '#/components/schemas/Error' };
      const example = { ...ERROR_EXAMPLE, error_code: code, detail };
      return [code, { description: code, content: { 'application/json': { schema, example } } }];
    }),
  );
}

function errorSchema(): Json {
  return {
    type: 'object',
    description: 'The body of every 4xx and 5xx answer. Branch on error_code.',
    properties: {
      error_code: { type: 'string', enum: Object.keys(STATUS_OF_CODE) },
      detail: { type: 'string' },
      request_id: { type: 'string', description: 'Also in the header X-Request-Id.' },
    },
    required: ['error_code', 'detail', 'request_id'],
    examples: [ERROR_EXAMPLE],
  };
}

/** Converts zod schemas to JSON Schema, collecting named and recursive ones under `components`. */
class ComponentSchemas {
  readonly collected: Record<string, Json> = {};

  write(schema: z.ZodType, side: Side, owner: string): Json {
    const { $schema: _, $defs, ...written } = z.toJSONSchema(schema, { io: side }) as Json;
    // zod names schemas without an id `__schema0`, `__schema1`, … anew in each document, and the root `#`.
    const address = (reference: string): string => {
      const name = reference === '#' ? owner : reference.replace('#/$defs/', '');
      return `#/components/schemas/${name.startsWith('__') ? owner : ''}${name}`;
    };
    const place = (reference: string, definition: unknown): void => {
      const name = address(reference).replace('#/components/schemas/', '');
      this.collected[name] = asObject(redirect(definition, address));
    };
    for (const [name, definition] of Object.entries(asObject($defs))) {
      place(`#/$defs/${name}`, definition);
    }
    if (!JSON.stringify(written).includes('"$ref":"#"'))
      return asObject(redirect(written, address));
    place('#', written);
    return { $ref: address('#') };
  }
}

function redirect(value: unknown, address: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => redirect(one, address));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(isInformative)
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? address(inner) : redirect(inner, address),
      ]),
  );
}

/** zod bounds every integer by JavaScript's safe range, which is noise. */
function isInformative([key, value]: [string, unknown]): boolean {
  const isBound = key === 'minimum' || key === 'maximum';
  return !(isBound && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER);
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}; // JSON Schema is plain objects
}
