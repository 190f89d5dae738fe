import { toPlatformJson } from '#src/documents/platform-source.ts';
import { randomUUID } from 'node:crypto';
import type { Services } from '#src/services.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';
import { describeError, problemBody, STATUS_OF_CODE, toProblem } from './problem.ts';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** nginx's status for a client that disconnected before its answer; never sent. */
const CLIENT_LEFT = 499;

/** Uses the caller's `X-Request-Id` or generates one, and returns it. */
export const assignRequestId: ApiMiddleware = (ctx, next) => {
  const sent = ctx.get('x-request-id');
  ctx.state = {
    requestId: REQUEST_ID.test(sent) ? sent : randomUUID(),
    pattern: 'unmatched',
    framing: 'sse',
    originalPath: '',
    principal: null,
    route: null,
    failure: null,
  };
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};

/** Writes one log line and one observation per request, once its answer is sent or its client has disconnected. */
export function recordRequests({ log, metrics }: Pick<Services, 'log' | 'metrics'>): ApiMiddleware {
  return (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { requestId, pattern, principal, failure } = ctx.state;
      const status = ctx.res.writableFinished ? ctx.res.statusCode : CLIENT_LEFT;
      const durationMs = performance.now() - startedAt;
      const line = {
        requestId,
        method: ctx.method,
        route: pattern,
        status,
        durationMs: Math.round(durationMs),
        workspaceId: principal?.workspaceId ?? null,
      };
      metrics.observeRequest(ctx.method, pattern, status, durationMs / 1000);
      if (failure === null) log.info(line, 'request');
      else log.error({ ...line, failure: describeError(failure) }, 'request failed');
    });
    return next();
  };
}

/** Answers every failure with the common error body. */
export const answerProblems: ApiMiddleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const problem = toProblem(error);
    if (STATUS_OF_CODE[problem.code] >= 500 && problem !== error) ctx.state.failure = error;
    answer(ctx, problem);
  }
};

function answer(ctx: ApiContext, problem: Problem): void {
  if (ctx.res.headersSent) {
    // Part of an answer has been sent: only breaking off the connection can still signal that it is incomplete.
    ctx.respond = false;
    ctx.res.destroy();
    return;
  }
  ctx.respond = true;
  if (problem.code === 'UNAUTHENTICATED' && !ctx.res.hasHeader('WWW-Authenticate')) {
    ctx.set('WWW-Authenticate', 'Bearer');
  }
  if (problem.retryAfterSeconds !== null) ctx.set('Retry-After', String(problem.retryAfterSeconds));
  sendJson(ctx, STATUS_OF_CODE[problem.code], problemBody(problem, ctx.state.requestId));
}

export function sendJson(ctx: ApiContext, status: number, body: unknown): void {
  ctx.status = status;
  ctx.type = 'application/json';
  if (!ctx.res.hasHeader('Cache-Control')) ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.body = ctx.state.framing === 'lines' ? toPlatformJson(body) : JSON.stringify(body);
}

/** Forbids other sites to show our pages in frames (clickjacking). Pages with their own policy repeat this in it. */
export const forbidFraming: ApiMiddleware = (ctx, next) => {
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('Content-Security-Policy', "frame-ancestors 'none'");
  return next();
};

/**
 * Lets pages of any origin call the API: keys are sent in a header that browsers never add by themselves. Session
 * cookies stay out: without `Access-Control-Allow-Credentials`, browsers neither send them nor show the answer.
 */
export const allowCrossOrigin: ApiMiddleware = (ctx, next) => {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set(
    'Access-Control-Expose-Headers',
    'X-Request-Id, ETag, Retry-After, Location, Content-Location, Link, Deprecation, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  );
  if (ctx.method !== 'OPTIONS' || ctx.get('access-control-request-method') === '') return next();
  ctx.state.pattern = 'preflight';
  ctx.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  ctx.set(
    'Access-Control-Allow-Headers',
    ctx.get('access-control-request-headers') || 'Authorization, Content-Type, X-Request-Id',
  );
  ctx.set('Access-Control-Max-Age', '86400');
  ctx.status = 204;
  return Promise.resolve();
};

/**
 * RFC 9112 §3.2: HTTP/1.1 requires a Host header, and a request with two is rejected, because proxies and this service
 * might disagree on it.
 */
export const requireOneHost: ApiMiddleware = (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.get('host') === '') {
    throw new Problem('BAD_REQUEST', 'The request has no Host header, which HTTP/1.1 asks for.');
  }
  if ((ctx.req.headersDistinct['host']?.length ?? 0) > 1) {
    throw new Problem('BAD_REQUEST', 'The request has several Host headers. Send one.');
  }
  return next();
};

/** Strips `/api`, the prefix that existing clients use for every path, and resolves the alias of ingestion. */
export const normalizePath: ApiMiddleware = (ctx, next) => {
  const path = pathOf(ctx);
  ctx.state.originalPath = path;
  const stripped = path === '/api' ? '/' : path.replace(/^\/api\//, '/');
  if (stripped !== path) ctx.state.framing = 'lines';
  const normal = stripped.replace(/^\/onyx-api(?=\/|$)/, '/service-api');
  if (normal !== path) ctx.path = normal;
  return next();
};

/** @throws Problem BAD_REQUEST when it cannot be decoded */
export function pathOf(ctx: ApiContext): string {
  try {
    // Null for a URL of another kind, such as `foo://bar`.
    const path = (ctx.path as string | null) ?? '';
    // The router would leave a part that it cannot decode as is.
    if (!decodeURIComponent(path).includes('\0')) return path;
  } catch (error) {
    throw new Problem(
      'BAD_REQUEST',
      'The path is not valid: a % is not followed by UTF-8 in hex.',
      {
        cause: error,
      },
    );
  }
  throw new Problem('BAD_REQUEST', 'The path contains a NUL character (%00). Remove it.');
}

/** For requests without a matching route: 405 with `Allow` when the path exists, else 404. */
export const refuseUnrouted: ApiMiddleware = (ctx) => {
  const layers = ctx.matched as { methods: string[] }[] | undefined; // set by the router
  const methods = [...new Set((layers ?? []).flatMap((layer) => layer.methods))];
  if (methods.length === 0) {
    throw new Problem(
      'NOT_FOUND',
      'There is no such endpoint. GET /openapi.json lists all endpoints.',
    );
  }
  ctx.set('Allow', methods.join(', '));
  throw new Problem(
    'METHOD_NOT_ALLOWED',
    `${ctx.method} is not allowed here. Allowed: ${methods.join(', ')}.`,
  );
};
