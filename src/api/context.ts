import type Koa from 'koa';
import type { Principal } from '#src/accounts/principal.ts';
import type { Route } from './route.ts';

/** What the application's layers tell each other about a request. */
export interface RequestState {
  requestId: string;
  /** Pattern of the matched route, for the log and the metrics. */
  pattern: string;
  framing: 'sse' | 'lines';
  originalPath: string;
  principal: Principal | null;
  route: Route | null;
  /** The error, when it should be logged with its stack. */
  failure: unknown;
}

export type ApiContext = Koa.ParameterizedContext<RequestState>;
export type ApiMiddleware = Koa.Middleware<RequestState>;
