import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import { describeApi } from './openapi.ts';
import { contentReply } from './reply.ts';
import { defineRoute, type Route } from './route.ts';
import { VERSION } from './version.ts';

/** The files of `swagger-ui-dist` that the page asks for; nothing else of the package is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Swagger UI sets styles on elements; everything else comes from this origin. */
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
 * Finds the description beside itself, so that it works below any prefix. There are some 200 endpoints: their groups
 * are closed at first, and a field narrows them down.
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

/** `/openapi.json`, and the reference page at `/docs`, over `routes` and themselves. */
export function documentationRoutes(routes: readonly Route[]): readonly Route[] {
  const shared = { tag: 'Service', family: 'reference', scope: 'public' } as const;
  const description: Route = defineRoute({
    ...shared,
    method: 'GET',
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 description of this interface',
    reply: z.record(z.string(), z.unknown()),
    handle: ({ services }) =>
      describeApi([...routes, ...own], {
        version: VERSION,
        serverUrl: services.config.PUBLIC_URL ?? '/',
      }),
  });
  const page: Route = defineRoute({
    ...shared,
    method: 'GET',
    path: '/docs',
    summary: 'A page to read and try this interface',
    produces: ['text/html'],
    reply: z.string(),
    handle: ({ originalPath }) =>
      contentReply(
        'text/html; charset=utf-8',
        referencePage(originalPath.endsWith('/') ? '' : 'docs/'),
        {
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        },
      ),
  });
  const asset: Route = defineRoute({
    ...shared,
    method: 'GET',
    path: '/docs/assets/{file}',
    summary: 'A file of the reference page',
    params: z.object({ file: z.string() }),
    produces: ['text/css', 'text/javascript', 'image/png'],
    reply: z.string(),
    handle: async ({ params }) => readAsset(params.file),
  });
  const own: readonly Route[] = [description, page, asset];
  return own;
}

async function readAsset(file: string): Promise<ReturnType<typeof contentReply>> {
  const headers = { 'Cache-Control': 'public, max-age=3600' };
  if (file === 'start.js')
    return contentReply('text/javascript; charset=utf-8', START_SCRIPT, headers);
  const contentType = Object.hasOwn(ASSETS, file) ? ASSETS[file] : undefined;
  if (contentType === undefined) {
    throw new Problem('NOT_FOUND', 'The reference page has no such file. Open /docs.');
  }
  return contentReply(
    contentType,
    await readFile(resolvePackage(`swagger-ui-dist/${file}`)),
    headers,
  );
}

function referencePage(folder: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Millrace: API reference</title>
    <link rel="stylesheet" href="${folder}assets/swagger-ui.css">
    <link rel="icon" type="image/png" href="${folder}assets/favicon-32x32.png">
  </head>
  <body>
    <div id="reference"></div>
    <script src="${folder}assets/swagger-ui-bundle.js"></script>
    <script src="${folder}assets/start.js"></script>
  </body>
</html>
`;
}
