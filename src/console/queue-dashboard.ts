import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Producer } from '#queues/producer.ts';

export type KoaMiddleware = ReturnType<KoaAdapter['registerPlugin']>;

export const QUEUE_DASHBOARD_PATH = '/admin/queues';
export const QUEUE_DASHBOARD_ASSETS = `${QUEUE_DASHBOARD_PATH}/static/`;

/** Allows only the dashboard's own assets; inline styles, because the page sets a few on elements. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** The page links to a remote font service; without the link it uses the system font. */
const REMOTE_LINK = /<link\b[^>]*\bhref="https?:\/\/[^>]*>/g;

/** BullMQ finds workers by their connections, but in the embedded database all workers share one. */
class AdapterWithoutWorkers extends BullMQAdapter {
  override async getWorkers(): Promise<null> {
    return null;
  }
}

/** Records where its files are, so that koa-static, which neither compresses nor tags them, need not serve them. */
class AdapterWithKnownFiles extends KoaAdapter {
  assetsFolder = '';

  override setStaticPath(route: string, folder: string): this {
    this.assetsFolder = folder;
    super.setStaticPath(route, folder);
    return this;
  }
}

export interface QueueDashboard {
  readonly serve: KoaMiddleware;
  /** Folder of the files served below `QUEUE_DASHBOARD_ASSETS`. */
  readonly assetsFolder: string;
}

/**
 * Bull-board over all queues, as middleware that answers below `QUEUE_DASHBOARD_PATH` and passes on everything else. It
 * has no authentication: the caller must let through only users who may see the queues and, for methods other than GET,
 * change them.
 */
export function createQueueDashboard(
  producer: Pick<Producer, 'openQueues'>,
  { seesWorkers }: { seesWorkers: boolean },
): QueueDashboard {
  const adapter = new AdapterWithKnownFiles();
  const QueueAdapter = seesWorkers ? BullMQAdapter : AdapterWithoutWorkers;
  createBullBoard({
    queues: producer.openQueues().map((queue) => new QueueAdapter(queue)),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Millrace queues' } },
  });
  const board = adapter
    .setBasePath(QUEUE_DASHBOARD_PATH)
    .registerPlugin({ mount: QUEUE_DASHBOARD_PATH });
  const serve: KoaMiddleware = async (context, next) => {
    await board(context, next);
    if (!isBelow(context.path)) return;
    context.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    if (context.response.is('html') && typeof context.body === 'string') {
      context.body = context.body.replaceAll(REMOTE_LINK, '');
    }
  };
  return { serve, assetsFolder: adapter.assetsFolder };
}

function isBelow(path: string): boolean {
  return path === QUEUE_DASHBOARD_PATH || path.startsWith(`${QUEUE_DASHBOARD_PATH}/`);
}
