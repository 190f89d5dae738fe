import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Principal, Scope } from '#src/accounts/principal.ts';
import type { ProblemCode } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import type { PlanTier } from '#src/tables/accounts.ts';
import type { IncomingBody } from './read-body.ts';
import type { ContentReply, JsonReply, StaticReply } from './reply.ts';
import type { StreamReply } from './stream-reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The two endpoint families of docs/http-api.md; each has its own rate limit. */
export type Family = 'platform' | 'reference';

/** Where a caller stands against its rate limit, this request included. */
export interface RateLimitStanding {
  readonly limit: number;
  readonly used: number;
}

/** What a handler is given. Params, query and body are parsed by the route's schemas. */
export interface RouteRequest<Params, Query, Body, Caller> {
  readonly services: Services;
  readonly principal: Caller;
  readonly params: Params;
  readonly query: Query;
  /** Undefined in a `rawBody` route, which reads `incoming` itself. */
  readonly body: Body;
  readonly incoming: IncomingBody;
  readonly requestId: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly headers: IncomingHttpHeaders;
  /** The path as the client wrote it, `/api` included, not decoded. */
  readonly originalPath: string;
  /** `lines` under the `/api` prefix, whose clients read bare JSON lines where others read SSE. */
  readonly framing: 'sse' | 'lines';
  /** Null when the family or the route has no limit. */
  readonly rateLimit: RateLimitStanding | null;
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
  /** The least plan that the caller's workspace must have; null when any will do. */
  readonly plan: PlanTier | null;
  /** Media types of the request body. */
  readonly accepts: readonly string[];
  /** Media types of the reply; the reply schema describes the JSON one. */
  readonly produces: readonly string[];
  /**
   * Of a JSON body: bytes, decompressed, and values at all levels. What a request may cost follows from them, since it is parsed and
   * checked in one go. `bytes` is null where MAX_BODY_BYTES alone counts: large bodies are then read in a thread.
   */
  readonly bodyLimits: BodyLimits;
  /** The handler reads `incoming`; `body` then only documents. */
  readonly rawBody: boolean;
  /** Of a success: 202 for work that goes on after the answer. */
  readonly status: 200 | 202;
  /** The 202 of a route that waits for its work and may not see its end; null when it has none. */
  readonly laterReply: z.ZodType | null;
  /** Request headers that it reads, with what they are for; `required` ones are an error when absent. */
  readonly requestHeaders: readonly { name: string; description: string; required: boolean }[];
  /** Codes that this route may answer beyond those of every route. */
  readonly errors: readonly ProblemCode[];
  /** Null when the endpoint is there to stay. */
  readonly deprecation: Deprecation | null;
}

export interface BodyLimits {
  readonly bytes: number | null;
  readonly values: number;
}

/** A form, a question, a list of ids: everything but documents and long conversations. */
const BODY_LIMITS: BodyLimits = { bytes: 1_000_000, values: 20_000 };

/** Told in the headers of every answer of a deprecated endpoint, refusals included. */
export interface Deprecation {
  /** The path of the endpoint that takes its place. */
  readonly successor: string;
  /** Which bodies are meant, when the endpoint itself stays; all requests when absent. */
  readonly appliesTo?: (body: unknown) => boolean;
}

/** One endpoint, as the application and the API description see it. */
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
  | 'deprecation';

type RouteDefinition<
  S extends Scope,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
> = Omit<RouteFacts, Optional | 'scope' | 'plan'> &
  Partial<Pick<RouteFacts, Optional>> & {
    readonly scope: S;
    /** Nobody is known to a public route, so it has no plan to ask for. */
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

/** One endpoint in one entry: its address, who may call it, its schemas and what it does. */
export function defineRoute<
  S extends Scope,
  Reply extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<S, Params, Query, Body, Reply>): Route {
  // `Route.handle` is written as a method, so that a handler with narrower parameters fits: the schemas of
  // this very definition make what it is given.
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
    ...definition,
    plan: definition.plan ?? null,
    params: definition.params ?? null,
    query: definition.query ?? null,
    body: definition.body ?? null,
  };
}
