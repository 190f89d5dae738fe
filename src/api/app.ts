import Router from '@koa/router';
import Koa from 'koa';
import { createAuthenticator } from '#src/accounts/authenticate.ts';
import type { Services } from '#src/services.ts';
import { sessionCookieOf } from '#src/accounts/people/session-cookie.ts';
import { baseUrlOf } from '#src/platform/base-url.ts';
import { createIdentify } from './auth.ts';
import { openBodyRoom } from './body-room.ts';
import { createFindClientAddress } from './client-address.ts';
import { createConsole } from './console.ts';
import type { RequestState } from './context.ts';
import { createDashboardGuard } from './dashboard-guard.ts';
import { documentationRoutes } from './documentation.ts';
import { describeError } from './problem.ts';
import { createRateLimiter } from './rate-limit.ts';
import { openRequestLog } from './open-request-log.ts';
import {
  allowCrossOrigin,
  answerProblems,
  assignRequestId,
  forbidFraming,
  normalizePath,
  recordRequests,
  refuseUnrouted,
  requireOneHost,
} from './request-layers.ts';
import { refuseForeignPages } from './own-pages.ts';
import type { Route } from './route.ts';
import { type RouteServing, serveRoute } from './serve-route.ts';
import { traceRequests } from './trace-requests.ts';

/** The whole HTTP interface: `routes`, their OpenAPI description, the console and the queue dashboard. */
export function createApp(
  services: Services,
  routes: readonly Route[],
  { checkReplies = false }: { checkReplies?: boolean } = {},
): Koa<RequestState> {
  const identify = createIdentify({ ...services, authenticate: createAuthenticator(services) });
  const serving: RouteServing = {
    services,
    identify,
    findClientAddress: createFindClientAddress(services.config.TRUSTED_PROXIES),
    takeRequest: createRateLimiter(
      openRequestLog(services.rateLimitStore, services.clock),
      services,
    ),
    openRoom: openBodyRoom(
      Math.max(services.config.MAX_BODY_BYTES, services.config.MAX_DOCUMENT_BYTES),
    ),
    checkReplies,
  };
  const app = new Koa<RequestState>();
  // Koa itself reports connections that broke during an answer. The request's own log line says so too.
  app.on('error', (error: unknown) => {
    services.log.debug({ failure: describeError(error) }, 'an answer could not be sent');
  });
  app.use(assignRequestId);
  if (services.tracing.isOn) app.use(traceRequests(services.tracing));
  app.use(recordRequests(services));
  app.use(answerProblems);
  app.use(requireOneHost);
  app.use(forbidFraming);
  app.use(refuseForeignPages(sessionCookieOf(baseUrlOf(services.config)), services.config));
  app.use(createDashboardGuard(services, identify));
  app.use(createConsole());
  app.use(allowCrossOrigin);
  app.use(normalizePath);
  app.use(createRouter([...routes, ...documentationRoutes(routes)], serving).routes());
  app.use(refuseUnrouted);
  return app;
}

function createRouter(routes: readonly Route[], serving: RouteServing): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes.toSorted(literalFirst)) {
    const pattern = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.register(pattern, [route.method], [serveRoute(route, serving)]);
  }
  return router;
}

/** The first match serves a request, so `/ingestion/stats` must precede `/ingestion/{document_id}`. */
function literalFirst(a: Route, b: Route): number {
  const [left, right] = [a, b].map((route) => route.path.replaceAll(/\{\w+\}/g, '\uFFFF'));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
