import {
  createQueueDashboard,
  QUEUE_DASHBOARD_ASSETS,
  QUEUE_DASHBOARD_PATH,
} from '#src/console/queue-dashboard.ts';
import type { Principal } from '#src/accounts/principal.ts';
import { recordAction } from '#src/operations/audit.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import { assertMay, type Identify } from './auth.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';
import { operatorOf } from './operator.ts';
import { IMMUTABLE, REVALIDATED, sendStatic } from './send-static.ts';
import { type OpenStaticFile, openStaticFolder } from './static-folder.ts';

/** `main.f10757109b.js` */
const HASHED_NAME = /\.[0-9a-f]{10}\.\w+$/;

/**
 * The queue dashboard, for admins of the bootstrap workspace, because queues span all workspaces. Without a session,
 * browsers prompt for a key (HTTP Basic, any user name, the key as password).
 */
export function createDashboardGuard(
  services: Pick<Services, 'config' | 'db' | 'pointsAwarder' | 'producer'>,
  identify: Identify,
): ApiMiddleware {
  const { producer, config } = services;
  const dashboard = createQueueDashboard(producer, { seesWorkers: config.size !== 'embedded' });
  const openAsset = openStaticFolder(dashboard.assetsFolder);
  const publicHost = config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL).host;
  return async (ctx, next) => {
    if (!isBelowDashboard(ctx)) {
      await next();
      return;
    }
    ctx.state.pattern = QUEUE_DASHBOARD_PATH;
    ctx.set('WWW-Authenticate', 'Basic realm="Millrace", charset="UTF-8"');
    const basicKey = basicPassword(ctx.get('authorization'));
    const headers = basicKey === null ? ctx.headers : { authorization: `Bearer ${basicKey}` };
    const principal = await identify(headers);
    ctx.state.principal = principal;
    assertMay(principal, 'bootstrap-admin');
    ctx.remove('WWW-Authenticate');
    if (['GET', 'HEAD'].includes(ctx.method)) {
      if (ctx.path.startsWith(QUEUE_DASHBOARD_ASSETS)) {
        await sendAsset(ctx, openAsset);
        return;
      }
    } else {
      rejectCrossOrigin(ctx, publicHost, basicKey !== null || principal.sessionId !== null);
      await auditChange(services, ctx, principal);
    }
    // Jobs change constantly and are confidential.
    ctx.set('Cache-Control', 'no-store');
    // The dashboard answers anything thrown inside it with its own 500, so errors are thrown outside.
    let isKnown = true;
    await dashboard.serve(ctx, () => {
      isKnown = false;
      return Promise.resolve();
    });
    if (isKnown) {
      if (isPage(ctx)) {
        const { workspaceId, userId } = principal;
        const login = { action: 'login', sourceId: null, oncePerDay: true } as const;
        services.pointsAwarder.submit({ workspaceId, userId, ...login });
      }
      return;
    }
    throw noSuchPage();
  };
}

/** `/admin/queues/api/queues/document-index/pause` */
const QUEUE_IN_PATH = /^\/admin\/queues\/api\/queues\/([a-z0-9-]{1,50})(\/|$)/;

/** Before it is done, so that nothing is done without a word. */
async function auditChange(
  services: Pick<Services, 'db'>,
  ctx: ApiContext,
  principal: Principal,
): Promise<void> {
  const { method, path } = ctx;
  await recordAction(services.db, await operatorOf(services, principal, ctx.state.requestId), {
    action: 'dashboard',
    queue: QUEUE_IN_PATH.exec(path)?.[1] ?? null,
    detail: { method, path: path.slice(0, 500) },
  });
}

/** Only users of the dashboard may see its files, so shared caches must not store them. */
async function sendAsset(ctx: ApiContext, open: OpenStaticFile): Promise<void> {
  const path = ctx.path.slice(QUEUE_DASHBOARD_ASSETS.length);
  const asset = await open(path);
  if (asset === null) throw noSuchPage();
  const caching = HASHED_NAME.test(path) ? IMMUTABLE : REVALIDATED;
  await sendStatic(ctx, asset, { 'Cache-Control': `private, ${caching}` });
}

function noSuchPage(): Problem {
  return new Problem(
    'NOT_FOUND',
    `There is no such page. The dashboard is at ${QUEUE_DASHBOARD_PATH}.`,
  );
}

function isBelowDashboard(ctx: ApiContext): boolean {
  const path = (ctx.req.url ?? '').split('?', 1)[0] ?? '';
  return path === QUEUE_DASHBOARD_PATH || path.startsWith(`${QUEUE_DASHBOARD_PATH}/`);
}

/** Only a page view counts as signing in, because a browser sends its key with every request. */
function isPage(ctx: ApiContext): boolean {
  return ctx.method === 'GET' && ctx.status === 200 && Boolean(ctx.response.is('html'));
}

/** The password of an `Authorization: Basic` header (RFC 7617), or null when it is another kind. */
function basicPassword(header: string): string | null {
  const encoded = /^basic\s+(\S+)$/i.exec(header)?.[1];
  if (encoded === undefined) return null;
  const [, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return password.join(':');
}

/** A browser adds a stored Basic password to requests from any page, so the page must be ours. */
function rejectCrossOrigin(ctx: ApiContext, publicHost: string | null, fromBrowser: boolean): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const host = URL.parse(origin)?.host ?? null;
  const isOwnHost = host !== null && (host === ctx.get('host') || host === publicHost);
  const saysNothing = site === '' && origin === '';
  if (
    saysNothing
      ? !fromBrowser
      : (site === '' || site === 'same-origin') && (origin === '' || isOwnHost)
  ) {
    return;
  }
  throw new Problem(
    'UNAUTHORIZED',
    'Changes to queues must come from the dashboard itself. Outside a browser, send the key as Authorization: Bearer.',
  );
}
