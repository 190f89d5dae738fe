import type { Tracing } from '#src/platform/tracing.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

const METHODS: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' '));
/** Probes come every few seconds and say nothing. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/**
 * A span for each request, which continues the caller's trace. The path and the query are not in it: ids in paths are
 * names that customers chose, and links carry tokens.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server
 */
export function traceRequests(tracing: Tracing): ApiMiddleware {
  return (ctx, next) => {
    if (PROBES.has(ctx.path)) return next();
    const method = METHODS.has(ctx.method) ? ctx.method : '_OTHER';
    const parent = ctx.get('traceparent');
    const span = tracing.open(method, {
      kind: 'server',
      attributes: { 'http.request.method': method, 'millrace.request.id': ctx.state.requestId },
      origin: parent === '' ? [] : [parent],
      traceState: ctx.get('tracestate') || undefined,
    });
    ctx.res.once('close', () => {
      const { pattern, principal } = ctx.state;
      const hasRoute = pattern !== 'unmatched';
      if (hasRoute) span.rename(`${method} ${pattern}`);
      span.set({
        'http.route': hasRoute ? pattern : undefined,
        'http.response.status_code': ctx.res.headersSent ? ctx.res.statusCode : undefined,
        'millrace.workspace.id': principal?.workspaceId,
      });
      const failure = failureOf(ctx);
      if (failure !== null) span.fail(failure);
      span.end();
    });
    return span.run(next);
  };
}

function failureOf({ res }: ApiContext): string | null {
  if (!res.writableFinished) return 'client_left';
  return res.statusCode >= 500 ? String(res.statusCode) : null;
}
