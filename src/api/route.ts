import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Principal, Scope } from '#src/accounts/principal.ts';
import type { OperatorActionName } from '#src/operations/audit.ts';
import type { ProblemCode } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import type { IncomingBody } from './read-body.ts';
import type { ContentReply, JsonReply, StaticReply } from './reply.ts';
import type { StreamReply } from './stream-reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The two endpoint families of docs/http-api.md; each has its own rate limit. */
export type Family = 'platform' | 'reference';

/** A caller's rate-limit status, including this request. */
export interface RateLimitStanding {
  readonly limit: number;
  readonly used: number;
}

/** The input of a handler. Params, query and body are parsed by the route's schemas. */
export interface RouteRequest<Params, Query, Body, Caller> {
  readonly services: Services;
  readonly principal: Caller;
  readonly params: Params;
  readonly query: Query;
  /** Undefined in a `rawBody` route, which reads `incoming` itself. */
  readonly body: Body;
  readonly incoming: IncomingBody;
  readonly requestId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly headers: IncomingHttpHeaders;
  /** The path as the client sent it, including `/api`, not decoded. */
  readonly originalPath: string;
  /** `lines` under the `/api` prefix, whose clients expect bare JSON lines instead of SSE. */
  readonly framing: 'sse' | 'lines';
  /** Null when the family or the route has no limit. */
  readonly rateLimit: RateLimitStanding | null;
  /** Of the machine that the request came from, as far as trusted proxies tell. */
  readonly clientAddress: string;
}

export type HandlerResult<Body> = Body | JsonReply<Body> | ContentReply | StaticReply | StreamReply;

interface RouteFacts {
  readonly method: Method;
  /** Parameters in braces: `/service-api/ingestion/{document_id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly family: Family;
  readonly scope: Scope;
  /** The minimum plan of the caller's workspace; null when any plan will do. */
  readonly plan: PlanTier | null;
  /** Media types of the request body. */
  readonly accepts: readonly string[];
  /** Media types of the reply; the reply schema describes the JSON one. */
  readonly produces: readonly string[];
  /**
   * Limits of a JSON body: decompressed bytes, and values at all levels. They bound the cost of a request, which is
   * parsed and validated in one go. `bytes` is null where only MAX_BODY_BYTES applies: large bodies are then read in a
   * thread.
   */
  readonly bodyLimits: BodyLimits;
  /** The handler reads `incoming`; `body` is then only documentation. */
  readonly rawBody: boolean;
  /** Status of a success: 202 for work that continues after the answer. */
  readonly status: 200 | 202;
  /** The 202 of a route that waits for its work but may not see it finish; null when it has none. */
  readonly laterReply: z.ZodType | null;
  /** Request headers that it reads, with their purpose; a missing `required` one is an error. */
  readonly requestHeaders: readonly { name: string; description: string; required: boolean }[];
  /** Error codes of this route besides those of every route. */
  readonly errors: readonly ProblemCode[];
  /** Null when the endpoint is not deprecated. */
  readonly deprecation: Deprecation | null;
  /**
   * Written into the audit log of operators before the handler acts, when the caller is of their workspace; null when
   * nothing is, or the handler writes it.
   */
  readonly audit: RouteAudit | null;
}

/** What the audit log tells about a request: the parameters of the path, and these fields of the body. */
export interface RouteAudit {
  readonly action: OperatorActionName;
  /** None may hold a secret. */
  readonly fields: readonly string[];
}

export interface BodyLimits {
  readonly bytes: number | null;
  readonly values: number;
}

/** For a form, a question, a list of ids: everything except documents and long conversations. */
const BODY_LIMITS: BodyLimits = { bytes: 1_000_000, values: 20_000 };

/** Announced in the headers of every answer of a deprecated endpoint, including refusals. */
export interface Deprecation {
  /** The path of the endpoint that replaces it. */
  readonly successor: string;
  /** The deprecated bodies, when the endpoint itself stays; all requests when absent. */
  readonly appliesTo?: (body: unknown) => boolean;
}

/** One endpoint, as seen by the application and the API description. */
export interface Route extends RouteFacts {
  readonly params: z.ZodType | null;
  readonly query: z.ZodType | null;
  readonly body: z.ZodType | null;
  readonly reply: z.ZodType;
  handle(request: RouteRequest<unknown, unknown, unknown, Principal | null>): unknown;
}

type Optional =
  | 'description'
  | 'accepts'
  | 'produces'
  | 'bodyLimits'
  | 'rawBody'
  | 'errors'
  | 'status'
  | 'laterReply'
  | 'requestHeaders'
  | 'deprecation'
  | 'audit';

type RouteDefinition<
  S extends Scope,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
> = Omit<RouteFacts, Optional | 'scope' | 'plan'> &
  Partial<Pick<RouteFacts, Optional>> & {
    readonly scope: S;
    /** A public route has no caller, so it cannot require a plan. */
    readonly plan?: S extends 'public' ? never : PlanTier;
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly reply: Reply;
    readonly handle: (
      request: RouteRequest<
        z.output<Params>,
        z.output<Query>,
        z.output<Body>,
        S extends 'public' ? null : Principal
      >,
    ) => HandlerResult<z.input<Reply>> | Promise<HandlerResult<z.input<Reply>>>;
  };

/** Defines one endpoint: its address, who may call it, its schemas and its handler. */
export function defineRoute<
  S extends Scope,
  Reply extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<S, Params, Query, Body, Reply>): Route {
  // `Route.handle` is declared as a method, so that a handler with narrower parameters fits: the schemas of this same
  // definition produce its input.
  return {
    description: '',
    accepts: ['application/json'],
    produces: ['application/json'],
    bodyLimits: BODY_LIMITS,
    rawBody: false,
    status: 200,
    laterReply: null,
    requestHeaders: [],
    errors: [],
    deprecation: null,
    audit: null,
    ...definition,
    plan: definition.plan ?? null,
    params: definition.params ?? null,
    query: definition.query ?? null,
    body: definition.body ?? null,
  };
}
