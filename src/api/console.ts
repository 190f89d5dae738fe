import { openWebFiles } from '#src/console/web-files.ts';
import { CONSOLE_ASSETS, CONSOLE_PATH, renderWebPage } from '#src/console/web-page.ts';
import { Problem } from '#src/platform/errors.ts';
import { loadOnce } from '#src/platform/load-once.ts';
import type { ApiMiddleware } from './context.ts';
import { pathOf } from './request-layers.ts';
import { IMMUTABLE, REVALIDATED, sendStatic } from './send-static.ts';
import { staticContent, type StaticContent } from './static-content.ts';

interface ConsoleContent {
  readonly page: StaticContent;
  readonly pageHeaders: Readonly<Record<string, string>>;
  /** By address. */
  readonly assets: ReadonlyMap<string, StaticContent>;
}

/**
 * The console's page at every address below `CONSOLE_PATH`, and its files. Anybody may read them: they hold no data,
 * and whoever is not signed in gets none from the API.
 */
export function createConsole(): ApiMiddleware {
  const open = loadOnce(openContent);
  return async (ctx, next) => {
    const path = pathOf(ctx);
    if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) {
      await next();
      return;
    }
    ctx.state.pattern = CONSOLE_PATH;
    if (!['GET', 'HEAD'].includes(ctx.method)) {
      ctx.set('Allow', 'GET, HEAD');
      throw new Problem('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here. Use GET.`);
    }
    const content = await open();
    if (!path.startsWith(CONSOLE_ASSETS)) {
      await sendStatic(ctx, content.page, { ...content.pageHeaders, 'Cache-Control': REVALIDATED });
      return;
    }
    const asset = content.assets.get(path);
    // Also for an address of another version: the page then reloads itself.
    if (asset === undefined) {
      throw new Problem('NOT_FOUND', 'The console has no such file. Reload the page.');
    }
    await sendStatic(ctx, asset, { 'Cache-Control': IMMUTABLE });
  };
}

async function openContent(): Promise<ConsoleContent> {
  const web = await openWebFiles();
  const { html, headers } = renderWebPage(web);
  return {
    page: staticContent('text/html', html),
    pageHeaders: headers,
    assets: new Map(
      Array.from(web.files, ([path, { type, text }]) => [
        `${CONSOLE_ASSETS}${web.version}/${path}`,
        staticContent(type, text),
      ]),
    ),
  };
}
