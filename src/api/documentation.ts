import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { z } from 'zod';
import { Problem } from '#src/platform/errors.ts';
import { loadOnce } from '#src/platform/load-once.ts';
import { stripTypes } from '#src/platform/strip-types.ts';
import type { Services } from '#src/services.ts';
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

const START_SCRIPT = new URL('./reference-start.ts', import.meta.url);

const resolvePackage = createRequire(import.meta.url).resolve;

type Open<T> = (services: Services) => Promise<T>;
/** The page's files by name. */
type Assets = ReadonlyMap<string, Open<StaticContent>>;

/** `/openapi.json`, and the reference page at `/docs`, covering `routes` and themselves. */
export function documentationRoutes(routes: readonly Route[]): readonly Route[] {
  const describe = openOnce(async ({ config }) => {
    const facts = { version: VERSION, serverUrl: config.PUBLIC_URL ?? '/' };
    return JSON.stringify(await describeApi([...routes, ...own], facts));
  });
  const own: readonly Route[] = [descriptionRoute(describe), ...pageRoutes(describe)];
  return own;
}

/** Opened for the first caller: a service has one address, so one description is enough. */
function openOnce<T>(load: Open<T>): Open<T> {
  let open: (() => Promise<T>) | null = null;
  return (services) => {
    open ??= loadOnce(() => load(services));
    return open();
  };
}

const SHARED = {
  method: 'GET',
  tag: 'Service',
  family: 'reference',
  scope: 'public',
  errors: ['NOT_ACCEPTABLE'],
} as const;

function descriptionRoute(describe: Open<string>): Route {
  const content = openOnce(async (services) =>
    staticContent('application/json', await describe(services)),
  );
  return defineRoute({
    ...SHARED,
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 description of this interface',
    reply: z.record(z.string(), z.unknown()),
    async handle({ services }) {
      return new StaticReply(await content(services), { 'Cache-Control': REVALIDATED });
    },
  });
}

function pageRoutes(describe: Open<string>): readonly Route[] {
  const assets = openAssets(describe);
  const openPage = (folder: string) =>
    openOnce(async (services) => {
      const addresses = await addressesBelow(folder, assets, services);
      return staticContent('text/html', referencePage(addresses));
    });
  const [pageAbove, pageBelow] = [openPage('docs/'), openPage('')];
  const page = defineRoute({
    ...SHARED,
    path: '/docs',
    summary: 'A page to read and try this interface',
    produces: ['text/html'],
    reply: z.string(),
    async handle({ services, originalPath }) {
      const openFor = originalPath.endsWith('/') ? pageBelow : pageAbove;
      const content = await openFor(services);
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
    async handle({ services, params, query }) {
      const content = await assets.get(params.file)?.(services);
      if (content === undefined) {
        throw new Problem('NOT_FOUND', 'The reference page has no such file. Open /docs.');
      }
      const caching = query.v === content.version ? IMMUTABLE : REVALIDATED;
      return new StaticReply(content, { 'Cache-Control': caching });
    },
  });
  return [page, asset];
}

function openAssets(describe: Open<string>): Assets {
  const files = PACKAGE_FILES.map((file) => {
    const load = async () =>
      staticContent(extname(file), await readFile(resolvePackage(`swagger-ui-dist/${file}`)));
    return [file, openOnce(load)] as const;
  });
  // A script as well, so that it comes beside the others, and is kept as long as they are.
  const description = openOnce(async (services) => {
    const json = JSON.stringify(await describe(services));
    return staticContent('.js', `const description = JSON.parse(${json});\n`);
  });
  const startScript = openOnce(async () =>
    staticContent('.js', stripTypes(await readFile(START_SCRIPT, 'utf8'))),
  );
  return new Map([...files, ['description.js', description], ['start.js', startScript]]);
}

/** Each contains the file's version, so that browsers can cache it permanently. */
async function addressesBelow(
  folder: string,
  assets: Assets,
  services: Services,
): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>();
  for (const [file, open] of assets) {
    addresses.set(file, `${folder}assets/${file}?v=${(await open(services)).version}`);
  }
  return addresses;
}

function referencePage(addresses: ReadonlyMap<string, string>): string {
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
    <script src="${addresses.get('description.js')}"></script>
    <script src="${addresses.get('swagger-ui-bundle.js')}"></script>
    <script src="${addresses.get('start.js')}"></script>
  </body>
</html>
`;
}
