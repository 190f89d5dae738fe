import { Problem } from '#src/platform/errors.ts';
import { parseJson, weighJson } from '#src/platform/parse-json.ts';
import { parsePart } from '#src/platform/parse-part.ts';
import type { Services } from '#src/services.ts';
import { assertMay, assertPlan, type Identify } from './auth.ts';
import type { OpenRequestRoom } from './body-room.ts';
import type { FindClientAddress } from './client-address.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';
import { auditRequest } from './operator.ts';
import type { RateLimitDecision, TakeRequest } from './rate-limit.ts';
import { parseQuery } from './parse-query.ts';
import {
  announcesBody,
  type IncomingBody,
  openBody,
  requireMediaType,
  ROUTE_LIMIT,
} from './read-body.ts';
import { ContentReply, JsonReply, StaticReply } from './reply.ts';
import { sendJson } from './request-layers.ts';
import type { Deprecation, Route } from './route.ts';
import { packForPages } from './pack-json.ts';
import { sendStatic } from './send-static.ts';
import { sendStream, StreamReply } from './stream-reply.ts';

/** 1 February 2026, the date by which clients should have migrated (RFC 9745). */
const DEPRECATED_SINCE = '@1769904000';

export interface RouteServing {
  services: Services;
  identify: Identify;
  findClientAddress: FindClientAddress;
  takeRequest: TakeRequest;
  openRoom: OpenRequestRoom;
  /** Tests validate every JSON reply against its schema. */
  checkReplies: boolean;
}

/** A route as a Koa middleware: key, rate limit, scope, plan, parse, handle, reply. */
export function serveRoute(route: Route, serving: RouteServing): ApiMiddleware {
  return async (ctx) => {
    ctx.state.route = route;
    ctx.state.pattern = route.path;
    const { services } = serving;
    const { deprecation } = route;
    if (deprecation && !deprecation.appliesTo) announceSuccessor(ctx, deprecation);
    const principal = route.scope === 'public' ? null : await serving.identify(ctx.headers);
    ctx.state.principal = principal;
    // Before the scope check: a refused request of an account counts and gets the headers like any other.
    const rateLimit =
      principal === null ? null : await serving.takeRequest(principal, route.family);
    if (rateLimit) applyRateLimit(ctx, rateLimit);
    if (principal !== null && route.scope !== 'public') assertMay(principal, route.scope);
    if (principal !== null && route.plan !== null)
      await assertPlan(services, principal, route.plan);

    const params = route.params ? parsePart('path', route.params, ctx.params) : undefined;
    const query = route.query ? parsePart('query', route.query, queryOf(ctx)) : undefined;
    const signal = signalOf(ctx);
    using room = serving.openRoom(principal?.workspaceId ?? null, signal);
    const incoming = openBody(ctx.req, room.hold);
    const body = await readBody(ctx, route, incoming, services.config.MAX_BODY_BYTES);
    if (deprecation?.appliesTo?.(body)) announceSuccessor(ctx, deprecation);
    const { requestId } = ctx.state;
    await auditRequest(services, route, { principal, requestId, params, body });
    const result = await route.handle({
      services,
      principal,
      params,
      query,
      body,
      incoming,
      requestId,
      signal,
      headers: ctx.headers,
      originalPath: ctx.state.originalPath,
      framing: ctx.state.framing,
      rateLimit,
      clientAddress: serving.findClientAddress(ctx.req),
    });
    await send(ctx, route, result, signal, serving.checkReplies);
  };
}

/** Set before anything can fail, so that refusals have it too. */
function announceSuccessor(ctx: ApiContext, { successor }: Deprecation): void {
  ctx.set({ Deprecation: DEPRECATED_SINCE, Link: `<${successor}>; rel="successor-version"` });
}

function applyRateLimit(ctx: ApiContext, decision: RateLimitDecision): void {
  ctx.set({
    'X-RateLimit-Limit': String(decision.limit),
    'X-RateLimit-Remaining': String(decision.remaining),
    'X-RateLimit-Reset': String(Math.ceil(decision.resetAtMs / 1000)),
  });
  if (decision.allowed) return;
  throw new Problem(
    'RATE_LIMIT_EXCEEDED',
    `More than ${decision.limit} requests in a minute. Try again in ${decision.retryAfterSeconds} s.`,
    { retryAfterSeconds: decision.retryAfterSeconds },
  );
}

function queryOf(ctx: ApiContext): unknown {
  const text = ctx.querystring;
  if (/%00/.test(text)) {
    throw new Problem('BAD_REQUEST', 'The query contains a NUL character (%00). Remove it.');
  }
  return parseQuery(text);
}

async function readBody(
  ctx: ApiContext,
  route: Route,
  incoming: IncomingBody,
  limit: number,
): Promise<unknown> {
  const expectsBody = route.rawBody || route.body !== null;
  if (expectsBody && announcesBody(ctx.req)) requireMediaType(ctx.req, route.accepts);
  if (route.body === null || route.rawBody) return undefined;
  if (!announcesBody(ctx.req)) return parsePart('body', route.body, undefined);
  const { bytes, values } = route.bodyLimits;
  const text =
    bytes !== null && bytes < limit
      ? await incoming.bytes(bytes, ROUTE_LIMIT)
      : await incoming.bytes(limit, 'MAX_BODY_BYTES');
  weighJson(text, values);
  return parsePart('body', route.body, parseJson(text));
}

function signalOf(ctx: ApiContext): AbortSignal {
  const controller = new AbortController();
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) controller.abort(new Error('The client has gone away.'));
  });
  if (ctx.res.destroyed) controller.abort(new Error('The client has gone away.'));
  return controller.signal;
}

async function send(
  ctx: ApiContext,
  route: Route,
  result: unknown,
  signal: AbortSignal,
  checkReplies: boolean,
): Promise<void> {
  if (result instanceof StreamReply) {
    ctx.respond = false; // Koa would end the response itself
    await sendStream(ctx.res, result, signal);
    return;
  }
  if (result instanceof StaticReply) {
    await sendStatic(ctx, result.content, result.headers);
    return;
  }
  if (result instanceof ContentReply) {
    ctx.set({ 'X-Content-Type-Options': 'nosniff', ...result.headers });
    ctx.status = 200;
    ctx.set('Content-Type', result.contentType);
    ctx.body = result.content;
    return;
  }
  const reply = result instanceof JsonReply ? result : new JsonReply(result, route.status, {});
  if (checkReplies) checkReply(route, reply);
  ctx.set({ ...reply.headers });
  sendJson(ctx, reply.status, reply.body);
  await packForPages(ctx);
}

function checkReply(route: Route, { status, body }: JsonReply<unknown>): void {
  const isLater = status === 202 && route.laterReply !== null;
  const parsed = (isLater ? route.laterReply : route.reply).safeParse(body);
  if (parsed.success) return;
  const fields = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(
    `The reply of ${route.method} ${route.path} breaks its schema. ${fields.join('; ')}`,
  );
}
