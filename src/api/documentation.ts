import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import { loadOnce } from '#src/platform/load-once.ts';
import { describeApi } from './openapi.ts';
import { StaticReply } from './reply.ts';
import { defineRoute, type Route } from './route.ts';
import { IMMUTABLE, REVALIDATED } from './send-static.ts';
import { staticContent, type StaticContent } from './static-content.ts';
import { VERSION } from './version.ts';

/** The only files of `swagger-ui-dist` that are served: those that the page uses. */
const PACKAGE_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Swagger UI sets inline styles; everything else comes from this origin. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Loads the description by a relative URL, so that the page works below any prefix. There are about 200 endpoints, so
 * their groups start collapsed, with a filter field.
 */
const START_SCRIPT = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

const resolvePackage = createRequire(import.meta.url).resolve;

/** The page's files by name. */
type Assets = ReadonlyMap<string, () => Promise<StaticContent>>;

/** `/openapi.json`, and the reference page at `/docs`, covering `routes` and themselves. */
export function documentationRoutes(routes: readonly Route[]): readonly Route[] {
  const own: readonly Route[] = [descriptionRoute(() => [...routes, ...own]), ...pageRoutes()];
  return own;
}

const SHARED = {
  method: 'GET',
  tag: 'Service',
  family: 'reference',
  scope: 'public',
  errors: ['NOT_ACCEPTABLE'],
} as const;

function descriptionRoute(described: () => readonly Route[]): Route {
  // A service has one address, so one description is enough.
  let describe: (() => Promise<StaticContent>) | null = null;
  return defineRoute({
    ...SHARED,
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 description of this interface',
    reply: z.record(z.string(), z.unknown()),
    async handle({ services }) {
      describe ??= loadOnce(async () => {
        const serverUrl = services.config.PUBLIC_URL ?? '/';
        const description = await describeApi(described(), { version: VERSION, serverUrl });
        return staticContent('application/json', JSON.stringify(description));
      });
      return new StaticReply(await describe(), { 'Cache-Control': REVALIDATED });
    },
  });
}

function pageRoutes(): readonly Route[] {
  const assets = openAssets();
  const openPage = (folder: string) =>
    loadOnce(async () => staticContent('text/html', await referencePage(folder, assets)));
  const [pageAbove, pageBelow] = [openPage('docs/'), openPage('')];
  const page = defineRoute({
    ...SHARED,
    path: '/docs',
    summary: 'A page to read and try this interface',
    produces: ['text/html'],
    reply: z.string(),
    async handle({ originalPath }) {
      const content = await (originalPath.endsWith('/') ? pageBelow() : pageAbove());
      const headers = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY };
      return new StaticReply(content, { ...headers, 'Cache-Control': REVALIDATED });
    },
  });
  const asset = defineRoute({
    ...SHARED,
    path: '/docs/assets/{file}',
    summary: 'A file of the reference page',
    params: z.object({ file: z.string() }),
    query: z.object({
      v: z.string().optional().describe('The version that the page asks for. It is kept for good.'),
    }),
    produces: ['text/css', 'text/javascript', 'image/png'],
    reply: z.string(),
    async handle({ params, query }) {
      const content = await assets.get(params.file)?.();
      if (content === undefined) {
        throw new Problem('NOT_FOUND', 'The reference page has no such file. Open /docs.');
      }
      const caching = query.v === content.version ? IMMUTABLE : REVALIDATED;
      return new StaticReply(content, { 'Cache-Control': caching });
    },
  });
  return [page, asset];
}

function openAssets(): Assets {
  const files = PACKAGE_FILES.map((file) => {
    const load = async () =>
      staticContent(extname(file), await readFile(resolvePackage(`swagger-ui-dist/${file}`)));
    return [file, loadOnce(load)] as const;
  });
  const startScript = loadOnce(async () => staticContent('.js', START_SCRIPT));
  return new Map([...files, ['start.js', startScript]]);
}

/** Its assets are below `folder`. Each URL contains the file's version, so that browsers can cache it permanently. */
async function referencePage(folder: string, assets: Assets): Promise<string> {
  const addresses = new Map<string, string>();
  for (const [file, open] of assets) {
    addresses.set(file, `${folder}assets/${file}?v=${(await open()).version}`);
  }
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Millrace: API reference</title>
    <link rel="stylesheet" href="${addresses.get('swagger-ui.css')}">
    <link rel="icon" type="image/png" href="${addresses.get('favicon-32x32.png')}">
  </head>
  <body>
    <div id="reference"></div>
    <script src="${addresses.get('swagger-ui-bundle.js')}"></script>
    <script src="${addresses.get('start.js')}"></script>
  </body>
</html>
`;
}
